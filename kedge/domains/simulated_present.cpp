// Built where MuJoCo is.

#include "kedge/domains/adroit/adroit.h"
#include "kedge/domains/simulated_domain.h"

namespace kedge {

const std::vector<SimulatedDomain>& simulated_domains() {
  static const std::vector<SimulatedDomain> domains = {adroit_domain()};
  return domains;
}

}  // namespace kedge
