#include "kedge/report/legend.h"

#include <set>
#include <string_view>

#include "kedge/core/format.h"
#include "kedge/report/axes.h"
#include "kedge/report/curve.h"
#include "kedge/report/frame.h"
#include "kedge/report/text.h"

namespace kedge {
namespace {

constexpr double legend_row = 20;
constexpr double swatch_width = 20;
constexpr double swatch_gap = 6;
constexpr double entry_gap = 18;

}  // namespace

std::vector<LegendEntry> legend_entries(const Chart& chart) {
  std::vector<LegendEntry> entries;
  const std::vector<size_t> places = palette_places(chart);
  std::set<std::string_view> curves, bands, boxes;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    if (series.name.empty() || !curves.insert(series.name).second) continue;
    std::string swatch = fmt::format("<g {}>", curve_color(series, places[i]));
    if (!series.y_low.empty()) {
      swatch += fmt::format(R"(<rect y="1" width="{}" height="10" fill="currentColor" fill-opacity=".18"/>)",
                            swatch_width);
    }
    const std::string path = series.style == SeriesStyle::points    ? "M10 6h0"
                             : series.style == SeriesStyle::crosses ? cross_at(10, 6)
                                                                    : "M1 6h18";
    // One of many is fine; the one that stands for them is not.
    const SeriesStyle style = series.style == SeriesStyle::thin ? SeriesStyle::line : series.style;
    swatch += fmt::format(R"(<path d="{}" {}/></g>)", path, curve_stroke(style));
    entries.push_back({series.name, swatch});
  }
  for (const Band& band : chart.bands) {
    if (band.name.empty() || !bands.insert(band.name).second) continue;
    entries.push_back(
        {band.name, fmt::format(R"(<rect width="{}" height="12" fill="currentColor" fill-opacity=".12"/>)",
                                swatch_width)});
  }
  for (const Box& box : chart.boxes) {
    if (box.name.empty() || !boxes.insert(box.name).second) continue;
    entries.push_back({box.name, fmt::format(R"(<path d="M1 1h18v10h-18z" {}/>)", box_stroke(box))});
  }
  return entries;
}

DrawnLegend draw_legend(const Chart& chart, double top) {
  DrawnLegend drawn;
  if (chart.legend == Legend::none) return drawn;
  double x = 0;
  const double room = chart.width - swatch_width - swatch_gap;
  for (const LegendEntry& entry : legend_entries(chart)) {
    const std::string name = fit_text(entry.name, room, chart_font_size);
    const double width = swatch_width + swatch_gap + text_pixels(name, chart_font_size);
    if (x > 0 && x + width > chart.width) {
      x = 0;
      drawn.height += legend_row;
    }
    const double middle = top + drawn.height + legend_row / 2;
    drawn.markup += fmt::format(R"svg(<g transform="translate({} {})">{}</g>)svg", pixel_text(x),
                                pixel_text(middle - 6), entry.swatch);
    drawn.markup += fmt::format(R"(<text x="{}" y="{}">{}</text>)", pixel_text(x + swatch_width + swatch_gap),
                                pixel_text(middle + 4.5), escape_xml(name));
    x += width + entry_gap;
  }
  if (x > 0) drawn.height += legend_row;
  return drawn;
}

std::string legend_html(const Chart& chart) {
  std::string items;
  for (const LegendEntry& entry : legend_entries(chart)) {
    items += fmt::format(R"(<span><svg class="kedge-chart" width="{0}" height="12" viewBox="0 0 {0} 12" )"
                         R"(aria-hidden="true">{1}</svg>{2}</span>)",
                         swatch_width, entry.swatch, escape_xml(entry.name));
  }
  return items.empty() ? items : fmt::format(R"(<div class="legend">{}</div>)", items);
}

}  // namespace kedge
