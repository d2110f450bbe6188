// Built where MuJoCo is not.

#include "kedge/domains/simulated_domain.h"

namespace kedge {

const std::vector<SimulatedDomain>& simulated_domains() {
  static const std::vector<SimulatedDomain> none;
  return none;
}

}  // namespace kedge
