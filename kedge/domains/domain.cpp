#include "kedge/domains/domain.h"

#include <utility>

#include "kedge/core/find_named.h"
#include "kedge/domains/analytic/analytic.h"
#include "kedge/domains/grasp/grasp.h"
#include "kedge/domains/laws/laws.h"
#include "kedge/domains/tiles/tiles.h"

namespace kedge {

const std::vector<Domain>& all_domains() {
  static const std::vector<Domain> domains = [] {
    std::vector<Domain> all = analytic_domains();
    all.push_back(tiles_domain());
    for (Domain& domain : grasp_domains()) all.push_back(std::move(domain));
    for (Domain& domain : law_domains()) all.push_back(std::move(domain));
    return all;
  }();
  return domains;
}

const Domain& find_domain(std::string_view name) {
  return find_named(all_domains(), name, "domain", "a domain");
}

}  // namespace kedge
