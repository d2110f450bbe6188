// Built where MuJoCo is.

#include "kedge/domains/adroit/adroit.h"
#include "kedge/domains/push/push.h"
#include "kedge/domains/reach/reach.h"
#include "kedge/domains/simulated_domain.h"
#include "kedge/domains/slider/slider.h"

namespace kedge {

const std::vector<SimulatedDomain>& simulated_domains() {
  static const std::vector<SimulatedDomain> domains = {reach_domain(), push_domain(), slider_domain(),
                                                       adroit_domain()};
  return domains;
}

}  // namespace kedge
