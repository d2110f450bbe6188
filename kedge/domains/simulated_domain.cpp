#include "kedge/domains/simulated_domain.h"

#include "kedge/core/error.h"
#include "kedge/core/find_named.h"

namespace kedge {

const SimulatedDomain& find_simulated_domain(std::string_view name) {
  if (simulated_domains().empty())
    throw Error("domain",
                "a simulated domain needs MuJoCo; this kedge was built without it; install "
                "libmujoco-dev and build again");
  return find_named(simulated_domains(), name, "domain", "a simulated domain");
}

}  // namespace kedge
