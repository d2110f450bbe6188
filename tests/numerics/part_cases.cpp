#include <array>

#include "kedge/anchors/anchors.h"
#include "kedge/core/format.h"
#include "kedge/core/linear_algebra.h"
#include "kedge/core/rng.h"
#include "kedge/domains/grasp/features.h"
#include "kedge/space/space.h"
#include "tests/numerics/cases.h"

namespace kedge {
namespace {

Matrix<double> drawn_matrix(size_t rows, size_t columns, uint64_t seed) {
  Matrix<double> drawn(rows, columns);
  Rng rng(seed, Stream::domain);
  for (size_t i = 0; i < rows * columns; ++i) drawn.data()[i] = rng.uniform(-1, 1);
  return drawn;
}

void add_random(BitList& list) {
  Rng rng(11, Stream::noise, 5);
  std::vector<double> numbers;
  for (int i = 0; i < 50; ++i) numbers.push_back(rng.uniform(-2, 3));
  for (int i = 0; i < 50; ++i) numbers.push_back(rng.normal());
  for (int i = 0; i < 50; ++i) numbers.push_back(static_cast<double>(rng.below(1000)));
  list.add("random numbers", numbers);
  for (const auto& [init, name] : names_of(Init{})) {
    Program p(5, 3);
    p.dense(p.dense(Program::input(Input::query), 8, Activation::relu, init), 3, Activation::none, init, 2);
    std::vector<double> start;
    append(start, initial_parameters(p, 9));
    list.add(fmt::format("starting parameters {}", name), start);
  }
}

/// How a group is written, without what the others write. A new kind does not compile.
std::string kind_text(GroupKind kind) {
  switch (kind) {
    case GroupKind::vector:
      return "";
    case GroupKind::log:
      return "w=log";
    case GroupKind::angle:
      return "w=degrees";
    case GroupKind::rotation:
      return "w+x+y+z=rotation";
  }
  return "";
}

void add_spaces(BitList& list) {
  for (GroupKind kind : {GroupKind::vector, GroupKind::log, GroupKind::angle, GroupKind::rotation}) {
    const Space space = Space::parse(kind_text(kind), {"w", "x", "y", "z"});
    const auto points = static_cast<size_t>(space.point_size()),
               deltas = static_cast<size_t>(space.delta_size());
    std::vector<double> numbers;
    std::vector<double> a(points), b(points), moved(points), delta(deltas),
        seen(static_cast<size_t>(space.features()));
    const std::vector<double> zero(deltas), scale(deltas, 1.5);
    Rng rng(4, Stream::domain);
    for (int i = 0; i < 20; ++i) {
      for (std::vector<double>* point : {&a, &b}) {
        std::vector<double> row(4);
        for (double& x : row) x = rng.uniform(0.1, 5);
        space.to_point(row, *point);
      }
      space.minus(a, b, delta);
      space.plus(b, delta, moved);
      space.delta_features(delta, seen);
      append(numbers, delta);
      append(numbers, moved);
      append(numbers, seen);
      numbers.push_back(space.squared_distance(delta, zero, scale));
    }
    list.add("space " + (kind == GroupKind::vector ? "vector" : kind_text(kind)), numbers);
  }
}

void add_decompositions(BitList& list) {
  const Matrix<double> a = drawn_matrix(20, 6, 1), b = drawn_matrix(20, 3, 2);
  const Eigenvectors eigen = eigenvectors(transposed_product(a, a));
  std::vector<double> numbers = eigen.values;
  append(numbers, eigen.vectors.values());
  list.add("eigenvectors", numbers);
  const SingularVectors singular = singular_vectors(a);
  numbers = singular.values;
  append(numbers, singular.u.values());
  append(numbers, singular.v.values());
  list.add("singular vectors", numbers);
  list.add("least squares", least_squares(a, b));
  list.add("orthogonal factor", orthogonal_factor(a));
  list.add("product", product(transposed(a), b));
  Matrix<double> centred = a;
  center_columns(centred);
  list.add("leading axes", leading_axes(centred, 3));
}

/// A new rule does not compile.
AnchorOptions options_of(AnchorRule rule) {
  switch (rule) {
    case AnchorRule::radius:
      return {.rule = rule, .radius = 0.4};
    case AnchorRule::percentile:
      return {.rule = rule, .percentile = 25};
    case AnchorRule::many:
    case AnchorRule::near:
    case AnchorRule::all:
    case AnchorRule::weight:
      return {.rule = rule, .count = 5};
    case AnchorRule::nearest:
    case AnchorRule::neighbour:
    case AnchorRule::weight_greatest:
    case AnchorRule::weight_sample:
    case AnchorRule::none:
    case AnchorRule::given:
      return {.rule = rule};
  }
  return {};
}

/// Those that search.
constexpr std::array searching_rules = {
    AnchorRule::nearest,         AnchorRule::radius,       AnchorRule::percentile, AnchorRule::many,
    AnchorRule::neighbour,       AnchorRule::near,         AnchorRule::all,        AnchorRule::weight,
    AnchorRule::weight_greatest, AnchorRule::weight_sample};

void add_anchors(BitList& list) {
  for (size_t columns : {size_t{3}, size_t{20}}) {
    const size_t rows = 150;
    const Matrix<double> points = drawn_matrix(rows, columns, 6), queries = drawn_matrix(12, columns, 7);
    const std::vector<Pair> pool = draw_pool(PairSampler(rows, SelfPairs::exclude), 400, 3);
    const AnchorIndex index(Space::euclidean(static_cast<int>(columns)), points,
                            std::vector<double>(columns, 0.7), pool);
    std::vector<float> weights(rows);
    for (size_t r = 0; r < rows; ++r) weights[r] = static_cast<float>(r % 9) / 8;
    for (AnchorRule rule : searching_rules) {
      std::vector<double> numbers;
      for (size_t q = 0; q < queries.rows(); ++q)
        for (const AnchorMatch& match : index.find(queries.row(q), options_of(rule), weights))
          append(numbers, std::vector<double>{double(match.anchor), double(match.analog.query),
                                              double(match.analog.anchor), match.distance});
      list.add(fmt::format("anchors {}, {} columns", to_text(options_of(rule)), columns), numbers);
    }
  }
}

void add_features(BitList& list) {
  Cloud cloud;
  Rng rng(12, Stream::grasp);
  for (int i = 0; i < 100; ++i) cloud.push_back({rng.normal(), 2 * rng.normal(), rng.uniform(0, 9)});
  const CloudFrame frame = frame_of(cloud);
  std::vector<double> numbers;
  append(numbers, features_of(frame));
  append(numbers, frame.variances);
  list.add("principal axes of a cloud", numbers);
}

}  // namespace

void add_parts(BitList& list) {
  add_random(list);
  add_spaces(list);
  add_decompositions(list);
  add_anchors(list);
  add_features(list);
}

}  // namespace kedge
