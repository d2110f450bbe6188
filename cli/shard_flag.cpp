#include "cli/shard_flag.h"

#include "kedge/core/error.h"
#include "kedge/core/message_of.h"

namespace kedge {

Option declare(const Command& command, ShardFlag& flag) {
  return command
      .add_option(
          "--shard", flag.text,
          "Compute the I-th of N parts of all jobs, for N machines; what the parts share is the command "
          "and, now or later, the folder of --jobs")
      .type_name("I/N")
      .check([](const std::string& text) -> std::string {
        try {
          parse_shard(text);
          return "";
        } catch (const Error& error) {
          return message_of(error);
        }
      });
}

}  // namespace kedge
