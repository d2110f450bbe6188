#pragma once

// Ranks: the processes of one run, which send each other messages; MPI has them (cli/ranks.h). Every rank has
// the same list of jobs. Rank 0 hands out and keeps what comes back.

#include <optional>
#include <string>
#include <vector>

namespace kedge {

struct Message {
  int from = 0;
  std::string text;  ///< any bytes
};

/// Used by one thread. Messages from one rank to another arrive in the order in which they were sent.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// How many of them are on this machine, this one included.
  virtual int on_this_machine() const = 0;
  /// Returns when `text` may be changed again.
  virtual void send(int to, const std::string& text) = 0;
  /// A message that has arrived, from any rank; nothing where there is none.
  virtual std::optional<Message> receive() = 0;
};

/// Texts as one, each of any bytes.
std::string packed(const std::vector<std::string>& texts);
/// Throws Error on what `packed` did not make.
std::vector<std::string> unpacked(const std::string& text);

/// Between two looks for messages when there is none: short beside any piece of work, and long enough not to
/// keep a core busy.
void wait_for_messages();

}  // namespace kedge
