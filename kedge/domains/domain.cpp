#include "kedge/domains/domain.h"

#include <fmt/format.h>

#include "kedge/core/error.h"
#include "kedge/domains/analytic/analytic.h"
#include "kedge/table/shown.h"

namespace kedge {

const std::vector<Domain>& all_domains() {
  static const std::vector<Domain> domains = analytic_domains();
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
