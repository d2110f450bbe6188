#include "kedge/core/format.h"

#include <fmt/format-inl.h>

// What fmt's headers declare and leave to one file.
template auto fmt::detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl<char>(locale_ref) -> char;
