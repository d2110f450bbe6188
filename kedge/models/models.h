#pragma once

// Models: the list of what can be fitted. A model is a name, how its parameters are found, and a function
// that writes its program; a new one is such a function and a line in models.cpp.

#include <optional>
#include <string>
#include <vector>

#include "kedge/anchors/anchors.h"
#include "kedge/nn/program.h"

namespace kedge {

/// How parameters are found: by Adam on sampled pairs, in closed form over pairs (`pair_ridge`) or over all
/// rows; `none` where there are no parameters.
enum class Solver { adam, least_squares, ridge, pair_ridge, extreme, none };

/// Whether a network's inputs first go through sin(pi (W x + b)), 40 features per input (Tancik et al. 2020);
/// `automatic` is settled by a trial before a program is written.
enum class Fourier { off, on, automatic };

/// Whether a program predicts the query's output itself or its change from the anchor's.
enum class Predicts { value, change };

struct Architecture {
  int layers = 3;      ///< linear layers of each network: k in the paper
  int width = 32;      ///< units of hidden layers: n in the paper
  int embedding = 32;  ///< rank of the product: m in the paper
  Fourier fourier = Fourier::off;
  double fourier_scale = 1;  ///< widens the Fourier layer's initial frequencies
  Predicts predicts = Predicts::value;
  Init init = Init::uniform;  ///< of the networks without an anchor (the released MLP is orthogonal)
};

struct Model {
  std::string name;
  std::string title;   ///< one line for lists
  int complexity = 0;  ///< its place among all models, the simplest first: of equally good ones it decides
  Solver solver = Solver::adam;
  bool is_unstructured = false;  ///< one network of all it reads: nothing in its form carries over
  bool needs_context = false;
  std::optional<AnchorRule> anchors = {};  ///< the only rule it makes sense with; empty: the user's
  Program (*program)(const Shape& shape, const Architecture& architecture) = nullptr;

  /// By gradient steps; the others have a closed form, or no parameters.
  bool is_trained() const { return solver == Solver::adam; }
};

const std::vector<Model>& all_models();

/// Throws Error naming the models there are.
const Model& find_model(const std::string& name);

}  // namespace kedge
