#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/inflater.h"

namespace kedge {

struct Inflater::Inside {};

Inflater::Inflater(std::string source, std::string verb) {
  throw Error(verb,
              fmt::format("{}: needed a plain file; found one that gzip compressed, which this build does "
                          "not read; inflate it with gzip -d",
                          source));
}
Inflater::~Inflater() = default;
bool Inflater::is_hungry() const { return true; }
void Inflater::feed(std::string) {}
size_t Inflater::inflate(char*, size_t) { return 0; }
void Inflater::require_whole() const {}

}  // namespace kedge
