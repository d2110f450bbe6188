#include "kedge/trials/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/nearest_name.h"
#include "kedge/core/shown.h"
#include "kedge/trials/budget.h"

namespace kedge {
namespace {

template <class To, class From>
void set_if(To& to, const std::optional<From>& given) {
  if (given) to = *given;
}

/// The same for an option that is no longer open then.
template <class To, class From>
void set_open(To& to, const std::optional<From>& given, bool& is_open) {
  set_if(to, given);
  if (given) is_open = false;
}

/// The value that a text names. Throws Error naming the values there are.
template <class E>
E named(const std::string& text, const std::string& setting) {
  if (const auto value = value_named<E>(text)) return *value;
  throw Error("options",
              fmt::format("{} needs one of {}; found '{}'; take one of these", setting, all_names<E>(), text),
              setting);
}

/// The same; an empty text changes nothing.
template <class E>
void set_named(E& to, const std::string& text, const std::string& setting) {
  if (!text.empty()) to = named<E>(text, setting);
}

PairRule pair_rule_of(const FitSettings& s, PairRule otherwise) {
  const PairRule rule = !s.pairs.empty()   ? parse_pair_rule(s.pairs)
                        : !s.label.empty() ? PairRule::same_label
                        : !s.time.empty()  ? PairRule::same_time
                                           : otherwise;
  if (s.pairs.empty() && !s.label.empty() && !s.time.empty())
    throw Error("fit", "a label and a time each say which rows are paired; found both; choose one", "pairs");
  if (rule == PairRule::same_label && s.label.empty())
    throw Error("fit", "pairs of the same label need a column to go by; found none; name it", "label");
  if (rule == PairRule::same_time && s.time.empty())
    throw Error("fit", "pairs of the same time need a column to go by; found none; name it", "time");
  return rule;
}

Error unknown_setting(const std::string& name, const std::vector<std::string>& names) {
  return Error("options",
               fmt::format("needs a known setting; found '{}'; {}", name,
                           did_you_mean(name, names, fmt::format("take one of {}", fmt::join(names, ", ")))));
}

/// Reads members of an object and keeps their names.
class Members {
 public:
  explicit Members(const Json& json) : json_(json) {}

  template <class T>
  void operator()(const char* name, T& value) {
    if (const Json* found = said(name)) value = read<T>(*found, name);
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& value) {
    if (const Json* found = said(name)) value = read<T>(*found, name);
  }
  /// What the value says, or an Error that names the setting.
  template <class T>
  static T read(const Json& value, const char* name) {
    try {
      return exactly<T>(value, name);
    } catch (const JsonError& error) {
      const std::string& fault = error.fault();
      throw Error("options", fmt::format("{}; give one", fault.substr(0, fault.find(newer_hint))), name);
    }
  }
  /// The member, unless it is missing or null.
  const Json* said(const char* name) {
    names_.emplace_back(name);
    const Json* found = json_.find(name);
    return found && !found->is_null() ? found : nullptr;
  }

  void refuse_others() const {
    for (const JsonMember& member : json_.as_object("settings"))
      if (std::find(names_.begin(), names_.end(), member.name) == names_.end())
        throw unknown_setting(member.name, names_);
  }

 private:
  const Json& json_;
  std::vector<std::string> names_;
};

std::optional<size_t> anchor_rows_of(const Json& json) {
  if (json.is_string() && json.as_string("anchor_rows") == "all") return 0;
  return Members::read<size_t>(json, "anchor_rows");
}

/// Calls `visit(name, member)` for every setting that has one value. The list of their names.
template <class Settings, class Visit>
void for_each_setting(Settings& s, Visit&& visit) {
  visit("model", s.model);
  visit("preset", s.preset);
  visit("space", s.space);
  visit("same_unit", s.same_unit);
  visit("pairs", s.pairs);
  visit("anchors", s.anchors);
  visit("inside_anchors", s.inside_anchors);
  visit("outward", s.outward);
  visit("budget", s.budget);
  visit("base", s.base);
  visit("beyond", s.beyond);
  visit("fourier", s.fourier);
  visit("schedule", s.schedule);
  visit("loss", s.loss);
  visit("calibration", s.calibration);
  visit("device", s.device);
  visit("weights", s.weights);
  visit("layers", s.layers);
  visit("width", s.width);
  visit("embedding", s.embedding);
  visit("pool", s.pool);
  visit("batch", s.batch);
  visit("replicas", s.replicas);
  visit("seed", s.seed);
  visit("steps", s.steps);
  visit("epochs", s.epochs);
  visit("learning_rate", s.learning_rate);
  visit("weight_decay", s.weight_decay);
  visit("share", s.share);
  visit("anchor_rows", s.anchor_rows);
}

JsonSettings read_settings(const Json& json) {
  JsonSettings read;
  Members member(json);
  for_each_setting(read.fit, [&](const std::string& name, auto& value) {
    if (name != "anchor_rows") return member(name.c_str(), value);
    if (const Json* rows = member.said("anchor_rows")) read.fit.anchor_rows = anchor_rows_of(*rows);
  });
  member("context", read.fit.context);
  member("models", read.models);
  member("effort", read.effort);
  member.refuse_others();
  return read;
}

/// A number as a user writes it, for a setting of its kind.
template <class T>
T number_of(const std::string& name, const std::string& text) {
  T value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool is_right = fault == std::errc() && end == text.data() + text.size();
  if constexpr (std::is_floating_point_v<T>)
    is_right = is_right && std::isfinite(value);
  else
    is_right = is_right && !(value < T{0});
  if (is_right) return value;
  throw Error(
      "options",
      fmt::format("{} needs {}; found {}; write one", name,
                  std::is_floating_point_v<T> ? "a number" : "a whole number, 0 or more", shown(text)),
      name);
}

void set_value(const std::string&, const std::string& text, std::string& to) { to = text; }

template <class T>
void set_value(const std::string& name, const std::string& text, std::optional<T>& to) {
  to = number_of<T>(name, text);
}

template <HasNames E>
void set_value(const std::string& name, const std::string& text, E& to) {
  to = named<E>(text, name);
}

}  // namespace

JsonSettings settings_from_json(const std::string& text) {
  if (text.empty()) return {};
  try {
    return read_settings(Json::parse(text, {.repeated = RepeatedNames::refuse, .called = "settings"}));
  } catch (const JsonError& error) {
    const std::string& fault = error.fault();
    throw Error("options", fmt::format("needs settings of a fit as a JSON object; {}; mend them",
                                       fault.substr(0, fault.find(newer_hint))));
  }
}

void set_by_name(FitSettings& settings, const std::string& name, const std::string& text) {
  std::vector<std::string> names;
  bool is_known = false;
  for_each_setting(settings, [&](const std::string& known, auto& value) {
    names.push_back(known);
    if (known != name) return;
    is_known = true;
    const bool is_all = name == "anchor_rows" && text == "all";
    set_value(name, is_all ? "0" : text, value);
  });
  if (!is_known) throw unknown_setting(name, names);
}

std::string text_of(const FitSettings& settings, const std::string& name) {
  std::string text;
  for_each_setting(settings, [&](const std::string& known, const auto& value) {
    if (known != name) return;
    if constexpr (requires { value.has_value(); })
      text = value ? fmt::format("{}", *value) : "";
    else
      text = std::string(Json(value).as_string(name));
  });
  return text;
}

void set_training(const FitSettings& s, FitOptions& options) {
  if (s.steps && s.epochs)
    throw Error("options", "steps and epochs say the same thing; found both; give one of them", "steps");
  if (s.epochs && !(*s.epochs > 0))
    throw Error("options", fmt::format("epochs needs a positive number; found {}; take more", *s.epochs),
                "epochs");
  Architecture& a = options.architecture;
  set_if(a.layers, s.layers);
  set_open(a.width, s.width, options.open.width);
  set_if(a.embedding, s.embedding);
  set_named(a.fourier, s.fourier, "fourier");
  TrainOptions& t = options.training;
  if (s.steps) options.epochs = 0;
  set_open(t.steps, s.steps, options.open.steps);
  set_open(options.epochs, s.epochs, options.open.steps);
  set_open(t.batch, s.batch, options.open.batch);
  set_open(t.adam.learning_rate, s.learning_rate, options.open.learning_rate);
  set_if(t.adam.weight_decay, s.weight_decay);
  set_named(t.adam.schedule, s.schedule, "schedule");
  set_named(options.calibration, s.calibration, "calibration");
  set_named(t.loss, s.loss, "loss");
  if (!s.loss.empty()) options.open.loss = false;
  if (!s.anchors.empty() && s.anchors != auto_model) options.anchors = parse_anchors(s.anchors);
  if (!s.inside_anchors.empty()) options.inside_anchors = parse_anchors(s.inside_anchors);
  options.base = s.base;
  set_if(options.share, s.share);
  options.outward = parse_outward(s.outward);
  set_if(options.pool, s.pool);
  set_if(options.anchor_rows, s.anchor_rows);
  set_if(options.seed, s.seed);
  set_open(options.replicas, s.replicas, options.open.replicas);
}

FitOptions fit_options(const FitSettings& s) {
  FitOptions options = preset_options(s.preset, s.model == auto_model ? "bilinear" : s.model);
  if (s.weights != WeightSource::none) weigh_pairs(options, s.weights);
  named<Beyond>(s.beyond, "beyond");
  named<Device>(s.device, "device");
  set_training(s, options);
  options.pairs = pair_rule_of(s, options.pairs);
  options.space = s.space;
  options.same_unit = s.same_unit;
  options.context = s.context;
  check(options);
  return options;
}

Device device_of(const FitSettings& s) { return named<Device>(s.device, "device"); }

std::optional<double> budget_of(const FitSettings& s) {
  if (s.budget.empty()) return std::nullopt;
  if (s.steps || s.epochs)
    throw Error("options", "a budget says how many steps there are; found steps or epochs too; leave one out",
                "budget");
  return parse_duration(s.budget);
}

bool needs_trial(const FitSettings& s) { return s.model == auto_model || s.anchors == auto_model; }

CrossValidationOptions trial_of(const FitSettings& s, std::vector<std::string> models) {
  CrossValidationOptions trial{.models = std::move(models)};
  trial.beyond = named<Beyond>(s.beyond, "beyond");
  trial.tuned = s.anchors.empty() || s.anchors == auto_model;
  return trial;
}

CrossValidationOptions trial_of_fit(const FitSettings& s) {
  return trial_of(s, s.model == auto_model ? std::vector<std::string>{} : std::vector{s.model});
}

FitOptions options_after(const CrossValidation& trial, const FitOptions& before) {
  FitOptions options = trial.score(trial.recommendation.model).options;
  options.open = before.open;
  return options;
}

}  // namespace kedge
