#include "kedge/trials/settings.h"

#include <algorithm>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/nearest_name.h"
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
        throw Error("options",
                    fmt::format("needs a known setting; found '{}'; {}", member.name,
                                did_you_mean(member.name, names_,
                                             fmt::format("take one of {}", fmt::join(names_, ", ")))));
  }

 private:
  const Json& json_;
  std::vector<std::string> names_;
};

std::optional<size_t> anchor_rows_of(const Json& json) {
  if (json.is_string() && json.as_string("anchor_rows") == "all") return 0;
  return Members::read<size_t>(json, "anchor_rows");
}

JsonSettings read_settings(const Json& json) {
  JsonSettings read;
  FitSettings& s = read.fit;
  Members member(json);
  member("model", s.model);
  member("preset", s.preset);
  member("space", s.space);
  member("same_unit", s.same_unit);
  member("pairs", s.pairs);
  member("anchors", s.anchors);
  member("inside_anchors", s.inside_anchors);
  member("outward", s.outward);
  member("budget", s.budget);
  member("base", s.base);
  member("beyond", s.beyond);
  member("fourier", s.fourier);
  member("schedule", s.schedule);
  member("loss", s.loss);
  member("calibration", s.calibration);
  member("device", s.device);
  member("context", s.context);
  member("weights", s.weights);
  member("layers", s.layers);
  member("width", s.width);
  member("embedding", s.embedding);
  member("pool", s.pool);
  member("batch", s.batch);
  member("replicas", s.replicas);
  member("seed", s.seed);
  member("steps", s.steps);
  member("epochs", s.epochs);
  member("learning_rate", s.learning_rate);
  member("weight_decay", s.weight_decay);
  member("share", s.share);
  if (const Json* rows = member.said("anchor_rows")) s.anchor_rows = anchor_rows_of(*rows);
  member("models", read.models);
  member("effort", read.effort);
  member.refuse_others();
  return read;
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
