#pragma once

// Leaders: keeps the `count` least of a set of values. Each value has a name (a number). A value may be
// replaced by a lesser one, never by a greater one.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kedge {

class Leaders {
 public:
  /// Names are 0 ... names - 1.
  Leaders(size_t names, size_t count) : slot_(names, absent), count_(count) { heap_.reserve(count); }

  size_t count() const { return count_; }

  /// Sets the value of a name.
  void offer(uint32_t name, double value);
  /// The greatest of the values that are kept; infinity while there are less than `count`.
  double bound() const;

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
