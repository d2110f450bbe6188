// Built where HDF5 is not.

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/demonstrations/hdf5.h"

namespace kedge {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw Error("demonstrations", one_line(path) +
                                    " needs HDF5; this kedge was built without HDF5; build it where libhdf5 "
                                    "is installed, with KEDGE_HDF5=ON");
}

}  // namespace

void require_hdf5(const std::string& path) { refuse(path); }

Demonstrations read_demonstrations(const std::string& path, const ReadDemonstrations&) { refuse(path); }

void write_demonstrations(const std::string& path, const Demonstrations&, const DemonstrationFacts&) {
  refuse(path);
}

DemonstrationFacts read_facts(const std::string& path) { refuse(path); }

}  // namespace kedge
