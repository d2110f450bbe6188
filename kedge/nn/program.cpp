#include "kedge/nn/program.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"

namespace kedge {

constexpr auto names_of(OpKind) {
  return std::to_array<Named<OpKind>>({{OpKind::dense, "dense"},
                                       {OpKind::add, "add"},
                                       {OpKind::subtract, "subtract"},
                                       {OpKind::concat, "concat"},
                                       {OpKind::select, "select"},
                                       {OpKind::bilinear, "bilinear"},
                                       {OpKind::quadratic, "quadratic"}});
}
constexpr auto names_of(Activation) {
  return std::to_array<Named<Activation>>(
      {{Activation::none, "none"}, {Activation::relu, "relu"}, {Activation::sin_pi, "sin_pi"}});
}

namespace {

using Limits = ProgramLimits;

// Of more features than a program can hold, a width that `check` refuses.
int quadratic_width(int features) {
  const int64_t width = int64_t{features} * (features + int64_t{3}) / 2;
  return static_cast<int>(std::min<int64_t>(width, std::numeric_limits<int>::max()));
}

[[noreturn]] void bad(size_t op, const std::string& why) {
  throw Error("program", fmt::format("op {} {}; the model was not written by kedge or is damaged", op, why));
}

}  // namespace

int Program::width(int value) const {
  if (value < input_count) return value == input(Input::anchor_output) ? outputs_ : features_;
  return ops_[static_cast<size_t>(value - input_count)].width;
}

bool Program::reads(Input i) const {
  return std::any_of(ops_.begin(), ops_.end(), [&](const Op& op) {
    return std::find(op.from.begin(), op.from.end(), input(i)) != op.from.end();
  });
}

size_t Program::parameters() const {
  size_t count = 0;
  for (const Op& op : ops_) {
    if (op.kind == OpKind::dense && op.shares < 0)
      count += static_cast<size_t>(op.width) * (static_cast<size_t>(width(op.from[0])) + 1);
  }
  return count;
}

int Program::append(Op op) {
  ops_.push_back(std::move(op));
  return input_count + static_cast<int>(ops_.size()) - 1;
}

int Program::dense(int from, int width, Activation activation, Init init, double init_scale) {
  return append({.kind = OpKind::dense,
                 .from = {from},
                 .width = width,
                 .activation = activation,
                 .init = init,
                 .init_scale = init_scale});
}

int Program::dense_like(int value, int from, Activation activation) {
  return append({.kind = OpKind::dense,
                 .from = {from},
                 .width = width(value),
                 .activation = activation,
                 .shares = value - input_count});
}

int Program::subtract(int a, int b) {
  return append({.kind = OpKind::subtract, .from = {a, b}, .width = width(a)});
}

int Program::add(int a, int b) { return append({.kind = OpKind::add, .from = {a, b}, .width = width(a)}); }

int Program::concat(int a, int b) {
  return append({.kind = OpKind::concat, .from = {a, b}, .width = width(a) + width(b)});
}

int Program::select(int from, std::vector<int> columns) {
  const int count = static_cast<int>(columns.size());
  return append({.kind = OpKind::select, .from = {from}, .width = count, .columns = std::move(columns)});
}

int Program::bilinear(int f, int g, int outputs) {
  return append({.kind = OpKind::bilinear, .from = {f, g}, .width = outputs});
}

int Program::quadratic(int from) {
  return append({.kind = OpKind::quadratic, .from = {from}, .width = quadratic_width(width(from))});
}

int Program::embed(const Program& other, const std::array<int, input_count>& inputs, int like) {
  const int first = static_cast<int>(ops_.size());
  for (const Op& op : other.ops()) {
    Op copy = op;
    for (int& value : copy.from)
      value = value < input_count ? inputs[static_cast<size_t>(value)] : value + first;
    if (op.shares >= 0)
      copy.shares = first + op.shares;
    else if (like >= 0 && op.kind == OpKind::dense)
      copy.shares = like + static_cast<int>(&op - other.ops().data());
    append(std::move(copy));
  }
  return input_count + static_cast<int>(ops_.size()) - 1;
}

Program Program::prefix(int value) const {
  const int end = input_count + static_cast<int>(ops_.size());
  if (value < input_count || value >= end)
    throw Error("program", fmt::format("a prefix needs the value of an op, {} to {}; found {}", input_count,
                                       end - 1, value));
  Program part(features_, width(value));
  part.ops_.assign(ops_.begin(), ops_.begin() + (value - input_count + 1));
  if (part.outputs_ != outputs_ && part.reads(Input::anchor_output))
    throw Error("program",
                fmt::format("a prefix that reads the anchor's output needs {} outputs; value {} has {}",
                            outputs_, value, part.outputs_));
  return part;
}

void Program::check_sharing(size_t i) const {
  const Op& op = ops_[i];
  if (op.shares == -1) return;
  if (op.shares < 0 || op.shares >= static_cast<int>(i))
    bad(i, fmt::format("shares the parameters of op {}, which is not before it", op.shares));
  const Op& owner = ops_[static_cast<size_t>(op.shares)];
  if (owner.kind != OpKind::dense || owner.shares != -1)
    bad(i, fmt::format("shares the parameters of op {}, which has none of its own", op.shares));
  if (owner.width != op.width || width(owner.from[0]) != width(op.from[0]))
    bad(i, fmt::format("shares {} x {} parameters for {} x {}", owner.width, width(owner.from[0]), op.width,
                       width(op.from[0])));
}

void Program::check_free_work() const {
  const auto own = static_cast<int64_t>(parameters());
  const int64_t most_numbers = Limits::free_share * (int64_t{features_} + outputs_) +
                               std::clamp(own, int64_t{Limits::fewest_free}, int64_t{Limits::most_free});
  int64_t numbers = 0, shared = 0;
  for (size_t i = 0; i < ops_.size(); ++i) {
    const Op& op = ops_[i];
    if (op.kind == OpKind::dense && op.shares < 0) continue;
    // A product costs what it multiplies.
    numbers += op.kind == OpKind::bilinear ? width(op.from[0]) : op.width;
    if (numbers > most_numbers)
      bad(i, fmt::format("brings the widths of ops without parameters to more than {}", most_numbers));
    if (op.kind != OpKind::dense) continue;
    shared += int64_t{op.width} * (width(op.from[0]) + int64_t{1});
    if (shared > Limits::sharing * own)
      bad(i, fmt::format("shares parameters more than {} times", int64_t{Limits::sharing}));
  }
}

void Program::check_all_read() const {
  std::vector<bool> is_read(ops_.size());
  for (const Op& op : ops_)
    for (int value : op.from)
      if (value >= input_count) is_read[static_cast<size_t>(value - input_count)] = true;
  for (size_t i = 0; i + 1 < ops_.size(); ++i)
    if (!is_read[i]) bad(i, "computes a value that nobody reads");
}

void Program::check() const {
  if (features_ <= 0 || features_ > Limits::features || outputs_ <= 0 || outputs_ > Limits::width)
    throw Error("program", fmt::format("needs 1 to {} features and 1 to {} outputs; found {} and {}",
                                       int{Limits::features}, int{Limits::width}, features_, outputs_));
  if (ops_.empty() || ops_.size() > Limits::ops)
    throw Error("program", fmt::format("needs 1 to {} ops; found {}", size_t{Limits::ops}, ops_.size()));
  for (size_t i = 0; i < ops_.size(); ++i) {
    const Op& op = ops_[i];
    const bool one = op.kind == OpKind::dense || op.kind == OpKind::select || op.kind == OpKind::quadratic;
    if (op.from.size() != (one ? 1u : 2u)) bad(i, fmt::format("reads {} values", op.from.size()));
    for (int value : op.from) {
      if (value < 0 || value >= input_count + static_cast<int>(i))
        bad(i, fmt::format("reads value {}, which is not computed before it", value));
    }
    if (op.width <= 0 || op.width > Limits::width) bad(i, fmt::format("has width {}", op.width));
    const int a = width(op.from[0]), b = width(op.from.back());
    switch (op.kind) {
      case OpKind::dense:
        if (static_cast<int64_t>(op.width) * a > Limits::weights)
          bad(i, fmt::format("has {} x {} weights", op.width, a));
        check_sharing(i);
        break;
      case OpKind::add:
      case OpKind::subtract:
        if (a != b || op.width != a) bad(i, fmt::format("adds widths {} and {} into {}", a, b, op.width));
        break;
      case OpKind::concat:
        if (op.width != a + b) bad(i, fmt::format("joins widths {} and {} into {}", a, b, op.width));
        break;
      case OpKind::select:
        if (op.columns.size() != static_cast<size_t>(op.width))
          bad(i, fmt::format("has width {}, but selects {} features", op.width, op.columns.size()));
        for (int column : op.columns) {
          if (column < 0 || column >= a) bad(i, fmt::format("selects feature {} of {}", column, a));
        }
        break;
      case OpKind::bilinear:
        if (a != b || a % op.width != 0)
          bad(i, fmt::format("multiplies widths {} and {} into {} outputs", a, b, op.width));
        break;
      case OpKind::quadratic:
        if (op.width != quadratic_width(a)) bad(i, fmt::format("has width {} over {} features", op.width, a));
        break;
    }
  }
  if (ops_.back().width != outputs_)
    throw Error("program",
                fmt::format("needs {} outputs; its last op gives {}", outputs_, ops_.back().width));
  check_free_work();
}

std::string Program::to_json() const {
  Json list = Json::array();
  for (const Op& op : ops_) {
    Json item{{"kind", op.kind}, {"from", op.from}, {"width", op.width}};
    if (op.kind == OpKind::dense) {
      item["activation"] = op.activation;
      item["init"] = op.init;
      item["init_scale"] = op.init_scale;
    }
    if (op.kind == OpKind::dense && op.shares >= 0) item["shares"] = op.shares;
    if (op.kind == OpKind::select) item["columns"] = op.columns;
    list.push_back(std::move(item));
  }
  return Json{{"features", features_}, {"outputs", outputs_}, {"ops", list}}.dump();
}

Program Program::from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Program program(exactly<int>(json.at("features"), "features"),
                    exactly<int>(json.at("outputs"), "outputs"));
    for (const Json& item : json.at("ops").as_list("ops")) {
      Op op;
      op.kind = exactly<OpKind>(item.at("kind"), "kind");
      op.from = exactly<std::vector<int>>(item.at("from"), "from");
      op.width = exactly<int>(item.at("width"), "width");
      if (op.kind == OpKind::dense) {
        op.activation = exactly<Activation>(item.at("activation"), "activation");
        op.init = exactly<Init>(item.at("init"), "init");
        op.init_scale = exactly<double>(item.at("init_scale"), "init_scale");
        if (item.contains("shares")) op.shares = exactly<int>(item.at("shares"), "shares");
      }
      if (op.kind == OpKind::select) op.columns = exactly<std::vector<int>>(item.at("columns"), "columns");
      program.ops_.push_back(std::move(op));
    }
    program.check();
    program.check_all_read();
    return program;
  } catch (const JsonError& error) {
    throw Error("program", fmt::format("needs a program; {}", error.fault()));
  }
}

}  // namespace kedge
