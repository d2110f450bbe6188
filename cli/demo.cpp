#include <CLI/CLI.hpp>
#include "cli/commands.h"
namespace kedge {
void add_demo(CLI::App&) {}
}  // namespace kedge
