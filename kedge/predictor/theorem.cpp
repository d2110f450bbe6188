
#include <algorithm>
#include <cmath>
#include <functional>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/predictor/requirements.h"
#include "kedge/predictor/state.h"

namespace kedge {
namespace {

constexpr size_t most_pairs = 4096;
constexpr size_t most_queries = 1000;
// Of f, of g, and of what they read: where these are wide, fewer pairs are measured.
constexpr size_t most_numbers = size_t{1} << 21;
// Fewer pairs for each number of an embedding tell nothing of its rank.
constexpr size_t pairs_per_number = 2;
constexpr size_t most_embedding = 512;  // singular values cost its cube
constexpr size_t most_test_pairs = 1 << 17;
constexpr uint64_t sample_seed = 0;

// The product a program ends in, alone or with the anchor's output added.
struct Product {
  int f = 0, g = 0;  // values
  Predicts predicts = Predicts::value;
};

std::optional<Product> product_of(const Program& program) {
  const auto op_at = [&](int value) -> const Op* {
    return value < input_count ? nullptr : &program.ops()[static_cast<size_t>(value - input_count)];
  };
  const Op* last = &program.ops().back();
  Product product;
  if (last->kind == OpKind::add && last->from[1] == Program::input(Input::anchor_output)) {
    product.predicts = Predicts::change;
    last = op_at(last->from[0]);
  }
  if (!last || last->kind != OpKind::bilinear) return {};
  product.f = last->from[0];
  product.g = last->from[1];
  return product;
}

// What an embedding reads: the value its chain of dense ops starts from.
int source_of(const Program& program, int value) {
  while (value >= input_count) {
    const Op& op = program.ops()[static_cast<size_t>(value - input_count)];
    if (op.kind != OpKind::dense) break;
    value = op.from[0];
  }
  return value;
}

/// What is too wide for the product's quantities to be measured; empty when nothing is.
std::string too_wide(const Program& program, const Product& product) {
  const auto width = [&](int value) { return static_cast<size_t>(program.width(value)); };
  const auto outputs = static_cast<size_t>(program.outputs());
  const size_t embedding = width(product.f) / outputs;
  const auto affordable =
      static_cast<size_t>(std::sqrt(static_cast<double>(most_numbers / (pairs_per_number * outputs))));
  const size_t most = std::min(most_embedding, affordable);
  if (embedding > most)
    return fmt::format("embeddings of {} are wider than {}{}", embedding, most,
                       most < most_embedding ? fmt::format(", the most for {} outputs", outputs) : "");
  const size_t read = std::max(width(source_of(program, product.f)), width(source_of(program, product.g)));
  if (read * pairs_per_number * embedding > most_numbers)
    return fmt::format("the {} numbers that f or g reads are more than {}", read,
                       most_numbers / (pairs_per_number * embedding));
  return "";
}

/// How many training pairs are measured.
size_t pairs_for(const Program& program, const Product& product) {
  int widest = program.width(product.f);
  for (int value : {product.f, product.g})
    widest = std::max(widest, program.width(source_of(program, value)));
  return std::min(most_pairs, most_numbers / static_cast<size_t>(widest));
}

struct Parts {
  const FitOptions& options;
  const Encoder& encoder;
  const AnchorIndex& index;
  const Engine& engine;
  EncodedRows rows;
};

// One value of the program for each row.
Matrix<double> value_of(const Engine& engine, int value, const PairBatch& batch) {
  const ForwardInputs rows = batch.inputs();
  const size_t n = rows.rows;
  Matrix<float> found;
  if (value < input_count) {
    const MatrixView<const float> inputs[input_count] = {rows.query, rows.anchor, rows.delta,
                                                         rows.anchor_output};
    const MatrixView<const float> one = inputs[value];
    found = Matrix<float>(n, one.cols(), std::vector<float>(one.data(), one.data() + n * one.cols()));
  } else {
    const Program part = engine.program().prefix(value);
    std::vector<float> parameters = engine.read(0);
    parameters.resize(part.parameters());
    found = Matrix<float>(n, static_cast<size_t>(part.outputs()));
    make_engine(part, {parameters})->forward(0, rows, found);
  }
  return {n, found.cols(), std::vector<double>(found.values().begin(), found.values().end())};
}

bool finite(const Matrix<double>& m) {
  return std::all_of(m.values().begin(), m.values().end(), [](double x) { return std::isfinite(x); });
}

// Of 0 ... n - 1 all, or `count` of them, each as likely as any other; in order.
std::vector<uint32_t> some_of(size_t n, size_t count) {
  Rng rng(sample_seed, Stream::coverage, 1);
  std::vector<uint32_t> chosen;
  size_t wanted = std::min(n, count);
  for (size_t i = 0; i < n; ++i) {
    if (rng.below(n - i) >= wanted) continue;
    chosen.push_back(static_cast<uint32_t>(i));
    --wanted;
  }
  return chosen;
}

// Pairs that training may have drawn. A file does not keep the labels that rows were paired by, but its pool
// was drawn by the same rule.
std::vector<Pair> training_pairs(const Parts& parts, size_t count) {
  const size_t rows = parts.index.points().rows();
  std::vector<Pair> pairs;
  if (!parts.engine.program().uses_anchor()) {
    for (uint32_t r : some_of(rows, count)) pairs.push_back({r, r});
  } else if (parts.options.pairs == PairRule::any && parts.options.weights.source == WeightSource::none) {
    const PairSampler sampler(rows, parts.options.self);
    for (uint32_t slot = 0; slot < count; ++slot)
      pairs.push_back(sampler.draw(sample_seed, Stream::coverage, 0, slot));
  } else {
    for (uint32_t place : some_of(parts.index.pool().size(), count))
      pairs.push_back(parts.index.pool()[place]);
  }
  return pairs;
}

// Queries with the anchors that answer them; without anchors, as the program reads them alone.
using FindAnchors = std::function<std::vector<AnchorMatch>(const QueryRow&)>;
PairBatch encoded_queries(const Parts& parts, const Matrix<double>& points, const FindAnchors& find_anchors) {
  std::vector<std::pair<uint32_t, size_t>> pairs;  // row of points, training row
  const Matrix<float> features = parts.encoder.encode_points(points);
  const auto query = [&](size_t q) { return QueryRow{points.row(q).data(), features.row(q).data()}; };
  const std::vector<uint32_t> chosen = some_of(points.rows(), most_queries);
  for (uint32_t q : chosen) {
    if (!parts.engine.program().uses_anchor()) {
      pairs.emplace_back(q, 0);
      continue;
    }
    const std::vector<AnchorMatch> matches = find_anchors(query(q));
    for (size_t a = 0; a < std::min(matches.size(), most_test_pairs / chosen.size()); ++a)
      pairs.emplace_back(q, matches[a].anchor);
  }
  PairBatch encoded(parts.rows, pairs.size());
  for (size_t r = 0; r < pairs.size(); ++r) encoded.set(r, query(pairs[r].first), pairs[r].second);
  return encoded;
}

std::optional<TheoremQuantities> theorem_of(const Parts& parts, const Matrix<double>& queries,
                                            const FindAnchors& find_anchors) {
  const Program& program = parts.engine.program();
  const std::optional<Product> product = product_of(program);
  if (!product || !too_wide(program, *product).empty()) return {};
  const std::vector<Pair> pairs = training_pairs(parts, pairs_for(program, *product));
  PairBatch encoded(parts.rows, pairs.size());
  Matrix<double> target(pairs.size(), parts.rows.outputs.cols());
  for (size_t r = 0; r < pairs.size(); ++r) {
    encoded.set(r, pairs[r]);
    for (size_t k = 0; k < target.cols(); ++k) {
      target(r, k) = static_cast<double>(parts.rows.outputs(pairs[r].query, k));
      if (product->predicts == Predicts::change)
        target(r, k) -= static_cast<double>(parts.rows.outputs(pairs[r].anchor, k));
    }
  }
  const Matrix<double> f = value_of(parts.engine, product->f, encoded),
                       g = value_of(parts.engine, product->g, encoded);
  if (!finite(f) || !finite(g)) return {};
  const int f_source = source_of(program, product->f), g_source = source_of(program, product->g);
  const Matrix<double> difference = value_of(parts.engine, f_source, encoded),
                       anchor = value_of(parts.engine, g_source, encoded);
  const PairBatch test = encoded_queries(parts, queries, find_anchors);
  const Matrix<double> test_difference = value_of(parts.engine, f_source, test),
                       test_anchor = value_of(parts.engine, g_source, test);
  return theorem_quantities({.outputs = target.cols(),
                             .f = f,
                             .g = g,
                             .target = target,
                             .difference = difference,
                             .anchor = anchor,
                             .test_difference = test_difference,
                             .test_anchor = test_anchor});
}

}  // namespace

std::optional<TheoremQuantities> Predictor::theorem() const {
  const State& s = *state_;
  return theorem_of({s.options, s.encoder, s.index, *s.engine, s.rows()}, {}, {});
}

std::string Predictor::why_no_theorem() const {
  const std::optional<Product> product = product_of(program());
  return product ? too_wide(program(), *product) : "";
}

std::optional<TheoremQuantities> Predictor::theorem(const Table& queries) const {
  const State& s = *state_;
  if (queries.rows() == 0)
    throw Error("theorem", fmt::format("{} needs at least one query; found none", queries.source()));
  if (s.engine->program().uses_anchor() && s.options.anchors.rule == AnchorRule::none)
    throw Error("theorem", fmt::format("model {} needs anchors; found the rule 'none'", s.options.model));
  return theorem_of({s.options, s.encoder, s.index, *s.engine, s.rows()},
                    canonical_points(queries, s.inputs, s.encoder.space(), "theorem"),
                    [&](const QueryRow& query) { return s.find_anchors(query, s.options.anchors); });
}

}  // namespace kedge
