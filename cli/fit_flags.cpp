#include "cli/fit_flags.h"

#include "cli/checks.h"
#include "cli/output.h"
#include "cli/prose.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/names.h"
#include "kedge/models/base.h"

namespace kedge {
namespace {

/// Adds options to one group of a subcommand's help.
struct FlagGroup {
  const Command& sub;
  std::string name;

  template <class To>
  Option operator()(const std::string& flag, To& to, const std::string& type, const std::string& text) const {
    return sub.add_option(flag, to, text).type_name(type).group(name);
  }
};

Option choice(Option option, const std::vector<std::string>& values) {
  return option.type_name(fmt::format("{}", fmt::join(values, "|"))).check(one_of(values));
}

const std::string joint = "joint", joint_file = "joint=";

WeightSource weight_source(const FitFlags& flags) {
  if (flags.pair_weights.empty()) return WeightSource::none;
  return flags.pair_weights == joint || flags.pair_weights.starts_with(joint_file) ? WeightSource::joint
                                                                                   : WeightSource::examples;
}

/// How many updates a preset makes, as its help says it.
std::string updates_text(const FitOptions& preset) {
  return preset.epochs > 0 ? fmt::format("{:g} epochs", preset.epochs)
                           : std::to_string(preset.training.steps);
}

}  // namespace

void declare_data(const Command& sub, FitFlags& flags) {
  sub.add_option(
         "TRAIN", flags.train,
         "CSV file, also compressed by gzip, or NPY file (columns x0, x1, ...); '-' is standard input")
      .type_name("")
      .required();
  const FlagGroup option{sub, "Data"};
  option("--target", flags.targets, "COLS", "Columns to predict, with commas between").required();
  option("--inputs", flags.inputs, "COLS", "Columns to predict from (default: all that have no other part)");
  option("--ignore", flags.ignore, "COLS", "Columns to leave out, such as names that differ in each row");
  option(
      "--categories", flags.categories, "COLS",
      "Columns whose values are names, not quantities: two differ or are the same (default: text columns of "
      "few different words)");
  option("--cycles", flags.cycles, "SPEC",
         "What repeats in dates and numbers, as 'date=week+year,hour=24': adds the place in it as an angle");
  choice(
      option("--missing", flags.missing, "",
             "What to do about cells without a value: refuse them, drop their rows, or impute the median and "
             "flag it (default: refuse)"),
      {"refuse", "drop", "impute"});
  option("--space", flags.space, "SPEC",
         "Columns that are no plain numbers, as 'theta=angle,size=log'; 'kedge list spaces' explains");
  option("--same-unit", flags.same_unit, "SETS",
         "Columns measured in one unit, as 'x+y+z,gx+gy+gz': a set is scaled together, so that noise in one "
         "that hardly moves stays small");
  option("--label", flags.label, "COL",
         "Column of words or numbers; in training only rows that share it are paired (queries need none)");
  option("--time", flags.time, "COL", "Column of time steps; only rows that share it are paired");
  option("--episode", flags.episode, "COL", "Column that numbers demonstrations; not an input");
  option("--row-weights", flags.row_weights, "COL",
         "Column of weights: how much each row counts in training; a row of weight 0 is left out");
  option("--context", flags.contexts, "COLS", "Input columns that deepsets and bilinear-direct embed apart");
  declare(sub, flags.format, "Data");
}

void declare_network(const Command& sub, FitFlags& flags, const FitOptions& preset) {
  const FlagGroup option{sub, "Model"};
  const Architecture& a = preset.architecture;
  option("--layers", flags.layers, "K", fmt::format("Linear layers of each network (default: {})", a.layers))
      .check(whole_number(0, INT32_MAX));
  option("--width", flags.width, "N", fmt::format("Units of each hidden layer (default: {})", a.width))
      .check(whole_number(0, INT32_MAX));
  option("--embedding", flags.embedding, "M",
         fmt::format("Rank of the bilinear product (default: {})", a.embedding))
      .check(whole_number(0, INT32_MAX));
  if (a.fourier == Fourier::automatic)
    choice(option("--fourier", flags.fourier, "",
                  "A layer of learned sinusoids first, for what repeats; auto tries both on held-out outer "
                  "rows (default: auto)"),
           {"on", "off", "auto"});
  else
    choice(option("--fourier", flags.fourier, "",
                  fmt::format("A layer of learned sinusoids first, for what repeats (default: {})",
                              a.fourier == Fourier::on ? "on" : "off")),
           {"on", "off"});
  option("--anchors", flags.anchors, "RULE",
         fmt::format("How a query finds its anchors, or auto: what does best on held-out rows (default: {}); "
                     "'kedge list anchors'",
                     to_text(preset.anchors)))
      .suggests(
          {"auto", "nearest", "radius", "percentile", "many", "neighbour", "near", "all", "weight", "none"});
  option("--pool", flags.pool, "P",
         fmt::format("Training differences kept to choose anchors by (default: {})", preset.pool))
      .check(whole_number());
}

void declare_run(const Command& sub, FitFlags& flags, const FitOptions& preset) {
  const FlagGroup option{sub, "Training"};
  option("--preset", flags.preset, "NAME",
         "Where the defaults shown here come from (default: default); 'kedge list presets'")
      .suggests(names_in(all_presets()));
  option("--steps", flags.steps, "N", fmt::format("Updates (default: {})", updates_text(preset)))
      .check(whole_number());
  option("--seed", flags.seed, "S", "The same seed gives the same result (default: 0)").check(whole_number());
  option("--threads", flags.threads, "T",
         "Threads to use (default: one for each core); never changes the result")
      .check(whole_number(1, 1024));
  choice(
      option("--device", flags.device, "",
             "Where networks are trained: on the CPU, on a CUDA device, or auto: on the device where there "
             "is one and it gains; a device rounds in another way (default: cpu); 'kedge list devices'"),
      {"cpu", "cuda", "auto"});
}

void declare_training(const Command& sub, FitFlags& flags) {
  declare_run(sub, flags, preset_options(flags.preset, flags.model));
  FlagGroup{sub, "Training"}(
      "--pairs", flags.pairs, "RULE",
      "Which rows are paired: any, same-label, same-time (default: any, or by --label or --time)")
      .suggests({"any", "same-label", "same-time"});
}

void declare_updates(const Command& sub, FitFlags& flags, const FitOptions& preset, const std::string& rows) {
  const TrainOptions& t = preset.training;
  const FlagGroup option{sub, "Training"};
  option("--epochs", flags.epochs, "E",
         fmt::format("Updates counted in passes over the {}, instead of --steps", rows));
  option("--batch", flags.batch, "B", fmt::format("Pairs in an update (default: {})", t.batch))
      .check(whole_number());
  option("--learning-rate", flags.learning_rate, "X",
         fmt::format("Of Adam (default: {})", t.adam.learning_rate));
  option("--weight-decay", flags.weight_decay, "X",
         fmt::format("Of Adam: the share of a parameter, times the learning rate, that an update takes away "
                     "(default: {})",
                     t.adam.weight_decay));
  choice(option("--schedule", flags.schedule, "",
                fmt::format("How the learning rate goes (default: {})",
                            t.adam.schedule == Schedule::cosine ? "cosine" : "constant")),
         {"constant", "cosine"});
  choice(option("--calibration", flags.calibration, "",
                fmt::format("How expected errors are learned: on held-out outer shells, which takes as long "
                            "as the training or up to twice as long, or not at all (default: {})",
                            preset.calibration == Calibration::none ? "none" : "shells")),
         {"shells", "none"});
  choice(option("--loss", flags.loss, "",
                fmt::format("Squared error or its root, the distance (default: {})",
                            t.loss == Loss::l2 ? "l2" : "mse")),
         {"mse", "l2"});
  option("--replicas", flags.replicas, "R",
         fmt::format("Networks trained from different seeds and averaged (default: {})", preset.replicas))
      .check(whole_number());
}

void declare_output(const Command& sub, FitFlags& flags, const std::string& what, const std::string& type) {
  const std::string group = "Output";
  sub.add_option("-o,--output", flags.output, fmt::format("{} file to write", what))
      .type_name(type)
      .required()
      .group(group);
  sub.add_flag("--keep-partial", flags.keep_partial,
               "Write the file even when the training is stopped, or ends worse than a constant")
      .group(group);
  sub.add_flag("--quiet", flags.quiet, "No progress on standard error, no summary").group(group);
  sub.add_flag("--json", flags.json, "The summary as one JSON object").group(group);
}

void declare_model(const Command& sub, FitFlags& flags, const FitOptions& preset) {
  const FlagGroup option{sub, "Model"};
  std::vector<std::string> models = names_in(all_models());
  models.push_back(auto_model);
  option("--model", flags.model, "NAME",
         "What to fit (default: bilinear), or auto: what 'kedge cv' would take; 'kedge list models'")
      .suggests(models);
  declare_network(sub, flags, preset);
  option("--inside-anchors", flags.inside_anchors, "RULE",
         "How queries among the training rows find theirs (default: as --anchors says)")
      .suggests({"all", "near", "many"});
  option("--base", flags.base, "NAME",
         "A closed form to fit first (linear, ridge, quadratic): the model then learns what it leaves")
      .suggests(base_models());
  option("--share", flags.share, "X",
         "How much of what is learned over the base is added to it, 0 to 1 (default: 1)");
  option("--outward", flags.outward, "SPEC",
         "How answers near the ends of the training outputs are moved on, as 'from=0.6,high=0.5,"
         "anchors=near=20' (default: not at all; --model auto and --anchors auto find it by trial)");
  option("--anchor-rows", flags.anchor_row_count, "N|all",
         fmt::format("Training rows that may serve as anchors, spread out over a larger table (default: {})",
                     preset.anchor_rows))
      .check(whole_number_or("all", 1));
}

void declare(const Command& sub, FitFlags& flags) {
  const FitOptions preset = preset_options(flags.preset, flags.model);
  declare_data(sub, flags);
  declare_model(sub, flags, preset);
  FlagGroup{sub, "Model"}(
      "--weights", flags.pair_weights, "FILE",
      "Learn which rows may answer for which, from a table of pairs (query,anchor: rows of TRAIN, from 0; "
      "weight: 1 or 0), from the model's own errors ('joint', experimental), or both ('joint=FILE'); "
      "--loss is l2 then unless given");
  declare_training(sub, flags);
  declare_beyond(sub, flags);
  declare_updates(sub, flags, preset, "rows");
  declare_output(sub, flags, "Model", "MODEL");
}

FitSettings settings_of(const FitFlags& flags) {
  if (flags.steps && flags.epochs) wrong_usage("--steps and --epochs say the same thing; give one of them");
  if (!flags.budget.empty() && (flags.steps || flags.epochs))
    wrong_usage("--budget says how many steps there are; leave out --steps and --epochs, or the budget");
  FitSettings settings = flags;
  settings.context = split_names(flags.contexts, "--context");
  settings.weights = weight_source(flags);
  if (!flags.anchor_row_count.empty())
    settings.anchor_rows = flags.anchor_row_count == "all" ? 0 : std::stoul(flags.anchor_row_count);
  return settings;
}

std::string device_text(const FitFlags& flags, const std::optional<UsedDevice>& device) {
  if (!device || flags.device == name_of(Device::cpu)) return "";
  if (device->device == Device::cpu) return "the CPU";
  return device->at_once == 0 ? device->name
                              : fmt::format("{}, {} at a time: its memory held no more", device->name,
                                            counted(device->at_once, "network", "networks"));
}

void declare_beyond(const Command& sub, FitFlags& flags) {
  choice(FlagGroup{sub, "Training"}("--beyond", flags.beyond, "",
                                    "What you are after: rows beyond the table in their inputs, in their "
                                    "outputs, or either; trials weigh their errors by it (default: both)"),
         {"inputs", "outputs", "both"});
}

std::string fit_words(const FitFlags& flags, const FitOptions& options) {
  const std::string& model = options.model;
  std::string command = quoted(flags.train);
  const auto add = [&](const std::string& flag, const std::string& value) {
    if (!value.empty()) command += " " + flag + " " + quoted(value);
  };
  add("--target", flags.targets);
  add("--inputs", flags.inputs);
  add("--ignore", flags.ignore);
  add("--categories", flags.categories);
  add("--cycles", flags.cycles);
  if (flags.missing != FitFlags().missing) add("--missing", flags.missing);
  add("--separator", flags.format.separator);
  add("--decimal", flags.format.decimal);
  add("--header", flags.format.header);
  add("--space", flags.space);
  add("--same-unit", flags.same_unit);
  add("--label", flags.label);
  add("--time", flags.time);
  add("--episode", flags.episode);
  add("--row-weights", flags.row_weights);
  add("--context", flags.contexts);
  add("--pairs", flags.pairs);
  if (flags.preset != FitFlags().preset) add("--preset", flags.preset);
  const auto add_number = [&](const std::string& flag, const auto& number) {
    if (number) add(flag, fmt::format("{}", *number));
  };
  if (find_model(model).is_trained()) {
    add_number("--layers", flags.layers);
    add_number("--width", flags.width);
    add_number("--embedding", flags.embedding);
    add("--fourier", flags.fourier);
    add_number("--steps", flags.steps);
    add_number("--epochs", flags.epochs);
    add_number("--batch", flags.batch);
    add_number("--learning-rate", flags.learning_rate);
    add_number("--weight-decay", flags.weight_decay);
    add("--schedule", flags.schedule);
    add("--loss", flags.loss);
    add_number("--replicas", flags.replicas);
    if (flags.device != FitFlags().device) add("--device", flags.device);
  }
  const bool searches = options.anchors.rule != AnchorRule::none && !find_model(model).anchors;
  if (searches) {
    add_number("--pool", flags.pool);
    add("--anchor-rows", flags.anchor_row_count);
  }
  add("--weights", flags.pair_weights);
  add("--validation", flags.validation);
  add("--calibration", flags.calibration);
  add_number("--seed", flags.seed);
  add("--model", model);
  add("--base", options.base);
  if (options.share != 1) add("--share", fmt::format("{}", options.share));
  const AnchorOptions usual = preset_options(flags.preset, model).anchors;
  if (searches && to_text(options.anchors) != to_text(usual))
    add("--anchors", to_text(options.anchors));
  else if (flags.anchors == auto_model && flags.model != auto_model && options.outward.is_none())
    add("--anchors", flags.anchors);  // nothing was found yet
  if (options.inside_anchors) add("--inside-anchors", to_text(*options.inside_anchors));
  add("--outward", to_text(options.outward));
  return command;
}

std::string fit_command(const FitFlags& flags, const FitOptions& options) {
  return "kedge fit " + fit_words(flags, options) + " -o model.kedge";
}

std::string example_file(const FitFlags& flags) {
  if (flags.pair_weights == joint) return "";
  return flags.pair_weights.starts_with(joint_file) ? flags.pair_weights.substr(joint_file.size())
                                                    : flags.pair_weights;
}

}  // namespace kedge
