#pragma once

// Files: whole files read, and written so that a reader sees the old content or the new, never a part.
//
// Laws of write_atomically: when it returns, the new content is under `path`; when it throws, what was there
// before is still there and nothing was left beside it; after a crash, one of the two is there, whole. What a
// killed process left beside it, `.kedge-HOST-PID-N.part`, is removed by the next write into that folder from
// the same host.
//
// A limit of file sizes (RLIMIT_FSIZE) is an Error only in a process that ignores SIGXFSZ, as the command
// line does; otherwise the signal ends the process. A library cannot choose that for its user.
//
// Special files (a terminal, a pipe, /dev/stdout and the other open descriptors of the process) cannot be
// replaced; they are written directly, and every write is checked. Their content is built in memory first;
// that of other files goes to the disk as it comes.

#include <functional>
#include <ostream>
#include <string>

namespace kedge {

/// Gives `path` the content that `write` puts into the stream. A symbolic link stays and its target is
/// replaced; a replaced file keeps its permissions, a new one gets what the umask allows. Throws Error
/// ("write") when the file cannot be written, when `write` leaves the stream failed or throws a
/// std::exception; an Error of `write` itself passes unchanged.
void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& write);

/// Throws the Error that write_atomically would throw before its first byte: a missing directory, a
/// directory in the file's place, no permission. For work whose result must not be lost at its end.
void require_writable(const std::string& path);

/// The bytes of a file, or all that a pipe gives until its end; "-" is standard input. Throws Error(`verb`).
std::string read_file(const std::string& path, const std::string& verb);

/// A descriptor to read from, which the caller closes; "-" is standard input. Throws Error(`verb`).
int open_to_read(const std::string& path, const std::string& verb);
/// What an error says of a file whose read failed with this `errno`.
std::string read_failure(const std::string& path, int code);

/// A path, or text from outside, as errors show it: control characters, which would break their one line,
/// become '?'.
std::string one_line(std::string text);

}  // namespace kedge
