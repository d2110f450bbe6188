#include "kedge/experiments/stored_chart.h"

#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "kedge/core/format.h"
#include "kedge/experiments/result.h"
#include "kedge/table/csv.h"

namespace kedge {

constexpr auto names_of(SeriesStyle) {
  return std::to_array<Named<SeriesStyle>>({{SeriesStyle::line, "line"},
                                            {SeriesStyle::dashes, "dashes"},
                                            {SeriesStyle::points, "points"},
                                            {SeriesStyle::thin, "thin"},
                                            {SeriesStyle::crosses, "crosses"},
                                            {SeriesStyle::cells, "cells"}});
}

constexpr auto names_of(BoxStyle) {
  return std::to_array<Named<BoxStyle>>(
      {{BoxStyle::shade, "shade"}, {BoxStyle::outline, "outline"}, {BoxStyle::dashes, "dashes"}});
}

constexpr auto names_of(ScaleSteps) {
  return std::to_array<Named<ScaleSteps>>(
      {{ScaleSteps::even, "even"}, {ScaleSteps::logarithmic, "logarithmic"}});
}

namespace {

using Range = std::optional<std::pair<double, double>>;

// Pictures need no more, and files stay small.
double rounded(double value) {
  if (!std::isfinite(value) || value == 0) return value;
  const double unit = std::pow(10.0, 5 - std::ceil(std::log10(std::abs(value))));
  return std::round(value * unit) / unit;
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (double value : values) list.push_back(number_or_null(rounded(value)));
  return list;
}

std::vector<double> numbers_of(const Json& list) {
  std::vector<double> values;
  for (const Json& item : list.as_list("numbers"))
    values.push_back(item.is_null() ? std::nan("") : exactly<double>(item, "number"));
  return values;
}

std::string text(const Json& from, const char* key) { return exactly<std::string>(from.at(key), key); }

void add_range(Json& json, const char* key, const Range& range) {
  if (range) json[key] = Json::array({range->first, range->second});
}

Range range_of(const Json& json, const char* key) {
  const Json* found = json.find(key);
  if (!found) return {};
  const auto ends = exactly<std::vector<double>>(*found, key);
  if (ends.size() != 2) found->refuse(key, "two numbers");
  return {{ends[0], ends[1]}};
}

Json series_json(const Series& s) {
  Json json{{"name", s.name}, {"style", s.style}, {"x", numbers(s.x)}, {"y", numbers(s.y)}};
  if (!s.color.empty()) json["color"] = s.color;
  if (!s.y_low.empty()) {
    json["y_low"] = numbers(s.y_low);
    json["y_high"] = numbers(s.y_high);
  }
  if (!s.values.empty()) json["values"] = numbers(s.values);
  if (s.ends) json["ends"] = true;
  if (s.animate > 0) json["animate"] = s.animate;
  return json;
}

Series series_of(const Json& json) {
  Series series{.name = text(json, "name"), .x = numbers_of(json.at("x")), .y = numbers_of(json.at("y"))};
  series.style = exactly<SeriesStyle>(json.at("style"), "style");
  if (json.contains("color")) series.color = text(json, "color");
  if (json.contains("y_low")) {
    series.y_low = numbers_of(json.at("y_low"));
    series.y_high = numbers_of(json.at("y_high"));
  }
  if (const Json* values = json.find("values")) series.values = numbers_of(*values);
  if (const Json* ends = json.find("ends")) series.ends = exactly<bool>(*ends, "ends");
  if (const Json* animate = json.find("animate")) series.animate = exactly<double>(*animate, "animate");
  return series;
}

// An infinite side is null in the file. Which infinity is told by which side it is.
Json box_json(const Box& b) {
  Json json{{"x", Json::array({number_or_null(b.x_low), number_or_null(b.x_high)})},
            {"y", Json::array({number_or_null(b.y_low), number_or_null(b.y_high)})},
            {"name", b.name},
            {"style", b.style}};
  if (!b.color.empty()) json["color"] = b.color;
  return json;
}

Box box_of(const Json& json) {
  Box box{.name = text(json, "name"), .style = exactly<BoxStyle>(json.at("style"), "style")};
  const auto sides = [&](const char* key, double& low, double& high) {
    const std::vector<double> ends = numbers_of(json.at(key));
    if (ends.size() != 2) json.at(key).refuse(key, "two numbers");
    low = std::isnan(ends[0]) ? -INFINITY : ends[0];
    high = std::isnan(ends[1]) ? INFINITY : ends[1];
  };
  sides("x", box.x_low, box.x_high);
  sides("y", box.y_low, box.y_high);
  if (json.contains("color")) box.color = text(json, "color");
  return box;
}

Json colors_json(const ColorScale& scale) {
  Json json{{"label", scale.label}, {"steps", scale.steps}};
  add_range(json, "range", scale.range);
  return json;
}

std::string place_text(double value, const std::vector<std::string>& names) {
  const bool named = value >= 0 && value < static_cast<double>(names.size()) && value == std::floor(value);
  return named ? csv_cell(names[static_cast<size_t>(value)]) : fmt::format("{}", value);
}

}  // namespace

Json chart_json(const Chart& chart) {
  Json series = Json::array(), bands = Json::array(), boxes = Json::array();
  for (const Series& s : chart.series) series.push_back(series_json(s));
  for (const Band& b : chart.bands) bands.push_back({{"low", b.low}, {"high", b.high}, {"name", b.name}});
  for (const Box& b : chart.boxes) boxes.push_back(box_json(b));
  Json json{{"title", chart.title}, {"x_label", chart.x_label}, {"y_label", chart.y_label},
            {"width", chart.width}, {"height", chart.height},   {"bands", bands},
            {"series", series}};
  add_range(json, "y_range", chart.y_range);
  add_range(json, "x_range", chart.x_range);
  if (!chart.boxes.empty()) json["boxes"] = boxes;
  if (chart.equal_axes) json["equal_axes"] = true;
  if (!chart.x_names.empty()) json["x_names"] = chart.x_names;
  if (!chart.y_names.empty()) json["y_names"] = chart.y_names;
  if (chart.colors != ColorScale{}) json["colors"] = colors_json(chart.colors);
  return json;
}

Chart chart_of(const Json& json) {
  Chart chart{
      .title = text(json, "title"), .x_label = text(json, "x_label"), .y_label = text(json, "y_label")};
  chart.width = exactly<int>(json.at("width"), "width");
  chart.height = exactly<int>(json.at("height"), "height");
  constexpr int most_pixels = 10000;
  if (chart.width > most_pixels || chart.height > most_pixels)
    throw Error("report", fmt::format("a chart needs at most {} pixels a side", most_pixels));
  for (const Json& s : json.at("series").as_list("series")) chart.series.push_back(series_of(s));
  for (const Json& b : json.at("bands").as_list("bands"))
    chart.bands.push_back(
        {exactly<double>(b.at("low"), "low"), exactly<double>(b.at("high"), "high"), text(b, "name")});
  chart.y_range = range_of(json, "y_range");
  chart.x_range = range_of(json, "x_range");
  if (const Json* boxes = json.find("boxes"))
    for (const Json& b : boxes->as_list("boxes")) chart.boxes.push_back(box_of(b));
  if (const Json* equal = json.find("equal_axes")) chart.equal_axes = exactly<bool>(*equal, "equal_axes");
  for (auto [key, names] : {std::pair{"x_names", &chart.x_names}, {"y_names", &chart.y_names}})
    if (const Json* found = json.find(key)) *names = exactly<std::vector<std::string>>(*found, key);
  if (const Json* colors = json.find("colors")) {
    chart.colors = {.label = text(*colors, "label"),
                    .steps = exactly<ScaleSteps>(colors->at("steps"), "steps"),
                    .range = range_of(*colors, "range")};
  }
  return chart;
}

std::string to_csv(const Chart& chart) {
  // Lines that share a name are told apart by their number; a chart without such lines has no such column.
  std::map<std::string, size_t> parts;
  bool shared = false, valued = false;
  for (const Series& series : chart.series) {
    shared = shared || ++parts[series.name] > 1;
    valued = valued || !series.values.empty();
  }
  parts.clear();
  std::string csv = fmt::format("series,{}x,y{}\n", shared ? "part," : "", valued ? ",value" : "");
  for (const Series& series : chart.series) {
    const std::string part = shared ? fmt::format("{},", ++parts[series.name]) : "";
    for (size_t i = 0; i < series.x.size(); ++i) {
      csv += fmt::format("{},{}{},{}", csv_cell(series.name), part, place_text(series.x[i], chart.x_names),
                         place_text(series.y[i], chart.y_names));
      if (valued) csv += ",";
      if (!series.values.empty())
        csv += fmt::format("{}", series.values.size() == 1 ? series.values[0] : series.values[i]);
      csv += "\n";
    }
  }
  return csv;
}

}  // namespace kedge
