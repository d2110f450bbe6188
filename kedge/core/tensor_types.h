#pragma once

// The types of tensors as the safetensors format names them.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include "kedge/core/safetensors.h"

namespace kedge {

struct TypeName {
  TensorType type;
  const char* name;
  size_t size;
};
inline constexpr std::array<TypeName, 4> type_names{{
    {TensorType::f32, "F32", 4},
    {TensorType::f64, "F64", 8},
    {TensorType::i32, "I32", 4},
    {TensorType::i64, "I64", 8},
}};

inline const TypeName& described(TensorType type) {
  const auto found =
      std::find_if(type_names.begin(), type_names.end(), [&](const TypeName& t) { return t.type == type; });
  assert(found != type_names.end());
  return *found;
}

}  // namespace kedge
