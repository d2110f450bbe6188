#pragma once

// --shard I/N, the same for all commands that run jobs.

#include <string>

#include "cli/command.h"
#include "kedge/jobs/shard.h"

namespace kedge {

struct ShardFlag {
  std::string text;

  /// The whole where the flag was not given.
  Shard shard() const { return text.empty() ? Shard() : parse_shard(text); }
};

Option declare(const Command& command, ShardFlag& flag);

}  // namespace kedge
