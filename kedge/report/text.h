#pragma once

// Text that goes into documents: escaping for XML and HTML, and how wide a text stands.
//
// Any bytes are accepted: what is not UTF-8, or not allowed in XML, becomes U+FFFD, so the result is always
// well-formed.

#include <cstddef>
#include <string>
#include <string_view>

namespace kedge {

/// Escapes & < > " ' for use in both element content and attribute values.
std::string escape_xml(std::string_view text);

/// A number with so many digits after the point; from a million on in scientific notation.
std::string rounded(double value, int digits);

/// Columns the text takes on a terminal: combining marks 0, East Asian wide characters and emoji 2, others 1.
size_t display_width(std::string_view text);

/// About how many pixels the text takes in a proportional sans-serif font, rather too many than too few.
double text_pixels(std::string_view text, double font_size);

/// The text if it fits in `pixels`, else its beginning and an ellipsis.
std::string fit_text(std::string_view text, double pixels, double font_size);

}  // namespace kedge
