#include "kedge/domains/domain.h"

#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/domains/analytic/analytic.h"
#include "kedge/domains/grasp/grasp.h"
#include "kedge/domains/tiles/tiles.h"
#include "kedge/table/shown.h"

namespace kedge {

const std::vector<Domain>& all_domains() {
  static const std::vector<Domain> domains = [] {
    std::vector<Domain> all = analytic_domains();
    all.push_back(tiles_domain());
    for (Domain& domain : grasp_domains()) all.push_back(std::move(domain));
    return all;
  }();
  return domains;
}

const Domain& find_domain(std::string_view name) {
  std::vector<std::string> names;
  for (const Domain& domain : all_domains()) {
    if (domain.name == name) return domain;
    names.push_back(domain.name);
  }
  throw Error("domain", fmt::format("the name of a domain is needed; found {}; the domains are {}",
                                    shown(name), fmt::join(names, ", ")));
}

}  // namespace kedge
