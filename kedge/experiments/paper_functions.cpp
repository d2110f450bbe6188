#include "kedge/experiments/paper_functions.h"

namespace kedge {

void take_function_sizes(FitOptions& options) {
  options.architecture.layers = 4;  // three hidden ones and the output's
  options.architecture.width = 1000;
  options.architecture.fourier = Fourier::on;
  options.epochs = 500;
  options.training.loss = Loss::mse;
}

const char* const paper_functions_note =
    "Preset paper: three hidden layers of 1000 units, a Fourier layer first, 500 epochs of batches of 32, "
    "Adam "
    "1e-4, squared error, one anchor drawn within the radius. The paper does not say how many rows there "
    "are, "
    "nor how epochs are counted: as many batches as fit into the rows, as the released code counts for other "
    "problems.";

}  // namespace kedge
