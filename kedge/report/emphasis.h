#pragma once

// Emphasis: what a text or a curve says by its looks. A colour has one meaning on a page, in tables and in
// charts.
//
// Laws: every colour reads on its ground (a contrast of 4.5 or more), light and dark.

#include <array>
#include <string>
#include <string_view>

namespace kedge {

/// `strong` marks the best or the decisive, `muted` the secondary. The others colour a word whose text
/// already says it, since Markdown and plain text cannot: `good` and `fine` need nothing done, `caution` a
/// look, `bad` an action.
enum class Emphasis { none, strong, muted, good, fine, caution, bad };

inline constexpr std::array<Emphasis, 7> all_emphases = {Emphasis::none, Emphasis::strong, Emphasis::muted,
                                                         Emphasis::good, Emphasis::fine,   Emphasis::caution,
                                                         Emphasis::bad};

enum class Ground { light, dark };

/// Of a page, "#rrggbb".
std::string_view ground_color(Ground ground);
/// "#rrggbb"; empty for what has the colour of plain text.
std::string_view color_of(Emphasis emphasis, Ground ground);

/// The CSS class; empty for none.
std::string_view class_name(Emphasis emphasis);
/// The number of an ANSI escape; empty for none.
std::string_view ansi_code(Emphasis emphasis);

/// CSS that gives the classes their colours inside of what `selector` selects, as variables by ground.
std::string emphasis_styles(std::string_view selector);

}  // namespace kedge
