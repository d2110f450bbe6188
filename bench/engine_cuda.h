#pragma once

namespace kedge {

/// Training steps of fleets on the CUDA device, beside PyTorch's with stacked replicas on the same device.
void run_cuda(int rounds);

}  // namespace kedge
