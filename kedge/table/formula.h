#pragma once

// Formulas: a spreadsheet computes a cell that begins with = + - @ or a tab. An apostrophe in front of such a
// text makes it plain text there.
//
// Law: without_guard(guarded_formula(text)) is the text, for every text.

#include <string>
#include <string_view>

namespace kedge {

/// The text with one apostrophe in front where a spreadsheet would compute it, or where it begins like a
/// guarded one. Numbers are left alone.
std::string guarded_formula(std::string_view text);

/// The text without the apostrophe of its guard.
std::string_view without_guard(std::string_view text);

}  // namespace kedge
