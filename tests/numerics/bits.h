#pragma once

// Bits: what small computations find, held to committed lists (tests/golden/numerics-*.json). A list has a
// hash of all bits of each computation, and three of its numbers, so that a person sees how far off it is.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kedge/core/json.h"
#include "kedge/core/matrix.h"

namespace kedge {

struct Bits {
  std::string hash;             ///< of all numbers
  std::vector<double> numbers;  ///< the first, the middle, the last; of few numbers all
};

class BitList {
 public:
  /// The name is new. Floats are added as doubles, which have all their bits.
  void add(const std::string& name, const std::vector<double>& numbers);
  void add(const std::string& name, const Matrix<double>& numbers) { add(name, numbers.values()); }
  /// Those of another list, their names behind this one.
  void add_all(const std::string& name, const BitList& others);
  /// Every number of a JSON text, in their order.
  void add_json(const std::string& name, const std::string& text);

  const std::map<std::string, Bits>& all() const { return bits_; }

 private:
  std::map<std::string, Bits> bits_;
};

/// Appends a range of numbers.
template <class Numbers>
void append(std::vector<double>& to, const Numbers& numbers) {
  for (const auto& number : numbers) to.push_back(static_cast<double>(number));
}

/// Whose bits a list has. There is one list for each.
struct BitOrigin {
  std::string made_by;       ///< "GNU 12.2.0, x86-64-v4"
  std::string version_name;  ///< of the constant in kedge/jobs/numerics.h
  int version = 0;           ///< its value
};

/// A committed list.
struct StoredBits {
  int version = 0;
  std::string made_by;
  std::map<std::string, Bits> bits;
};

std::string to_text(const StoredBits& stored);
/// Throws JsonError on text that is no such list.
StoredBits stored_bits(const std::string& text);

/// What is wrong with a list for this program, a line each: it was made for another version, a computation
/// found other bits, one has no entry, or an entry has no computation.
std::vector<std::string> faults_of(const StoredBits& stored, const BitOrigin& origin, const BitList& found);

/// The list to commit in place of `before`. Throws Error where bits of `before` changed and the version did
/// not.
StoredBits remade(const std::optional<StoredBits>& before, const BitOrigin& origin, const BitList& found);

/// Fails the running test unless the committed list has what was found; skips it where nobody committed a
/// list for this origin. With KEDGE_WRITE_NUMERICS=FOLDER it writes the list there instead.
void expect_committed(const BitOrigin& origin, const BitList& found);

}  // namespace kedge
