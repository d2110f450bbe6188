#pragma once

// Leaders: the least values of a race in which each name's value only ever falls. The bound is the value that
// a newcomer has to beat.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kedge {

/// The `count` least values offered, one for each of `names` names.
class Leaders {
 public:
  Leaders(size_t names, size_t count) : slot_(names, absent), count_(count) { heap_.reserve(count); }

  void offer(uint32_t name, double value);
  /// The greatest of the leaders, infinite while there are too few.
  double bound() const;
  size_t count() const { return count_; }

 private:
  static constexpr uint32_t absent = UINT32_MAX;
  struct Entry {
    double value;
    uint32_t name;
  };
  void place(size_t slot, Entry entry);
  void rise(size_t slot);
  void sink(size_t slot);

  std::vector<Entry> heap_;     // greatest first
  std::vector<uint32_t> slot_;  // by name
  size_t count_;
};

}  // namespace kedge
