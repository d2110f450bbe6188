#include "kedge/anchors/leaders.h"

#include <limits>

namespace kedge {

void Leaders::offer(uint32_t name, double value) {
  if (slot_[name] != absent) {
    heap_[slot_[name]].value = value;
    sink(slot_[name]);
  } else if (heap_.size() < count_) {
    heap_.push_back({});
    place(heap_.size() - 1, {value, name});
    rise(heap_.size() - 1);
  } else if (value < heap_[0].value) {
    slot_[heap_[0].name] = absent;
    place(0, {value, name});
    sink(0);
  }
}

double Leaders::bound() const {
  return heap_.size() < count_ ? std::numeric_limits<double>::infinity() : heap_[0].value;
}

void Leaders::place(size_t slot, Entry entry) {
  heap_[slot] = entry;
  slot_[entry.name] = static_cast<uint32_t>(slot);
}

void Leaders::rise(size_t slot) {
  const Entry entry = heap_[slot];
  for (; slot > 0 && heap_[(slot - 1) / 2].value < entry.value; slot = (slot - 1) / 2)
    place(slot, heap_[(slot - 1) / 2]);
  place(slot, entry);
}

void Leaders::sink(size_t slot) {
  const Entry entry = heap_[slot];
  for (size_t child = 2 * slot + 1; child < heap_.size(); child = 2 * slot + 1) {
    if (child + 1 < heap_.size() && heap_[child + 1].value > heap_[child].value) ++child;
    if (heap_[child].value <= entry.value) break;
    place(slot, heap_[child]);
    slot = child;
  }
  place(slot, entry);
}

}  // namespace kedge
