#pragma once

// Chart: curves, paths, marks and cells over one pair of axes, drawn as a self-contained SVG image.
//
// Laws: the text is well-formed XML with no script and no reference to anything outside it; the same chart
// gives the same text. A point whose x or y is not finite breaks its line. However long the series, what is
// written is bounded by what the pixels can show (see thin.h). A point that its axis cannot show is an arrow
// at the edge of the plot, never left out. Text and axes take the reader's light or dark
// text colour; the palette stays apart for colour-blind readers in both. What moves stands still for a reader
// who asked for reduced motion.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kedge/report/emphasis.h"

namespace kedge {

enum class SeriesStyle {
  line,
  dashes,
  points,
  thin,     ///< a fine line, for one of many
  crosses,  ///< a cross at each point, for a goal
  cells,    ///< a square of side 1 around each point, in the colour of its value, with the value in it
};

struct Series {
  /// In the legend; a series without a name is drawn but not listed. Series of one name are listed once, as
  /// the first of them, and share a place in the palette.
  std::string name{};
  std::vector<double> x{}, y{};  ///< of one length
  /// Edges of a shaded band around y (a deviation, a quantile range): both empty, or as long as x.
  std::vector<double> y_low{}, y_high{};
  /// Any CSS colour; "currentColor" is the text colour, for a reference curve. Empty takes the palette's
  /// colour at the series' place in the chart, so charts with the same order agree.
  std::string color{};
  Emphasis emphasis = Emphasis::none;  ///< its colour in place of `color`, the same as in tables
  SeriesStyle style = SeriesStyle::line;
  /// Numbers shown as colours of the chart's scale, in place of `color`: none, one for all points, or (points
  /// and cells) one for each. A point whose value is not finite is a cross in the text colour.
  std::vector<double> values{};
  bool ends = false;   ///< a ring at the first point, a dot at the last
  double animate = 0;  ///< seconds in which a dot runs along the points, which are equal times apart; 0: none
};

/// A shaded stretch of the x axis, for example the training range. An infinite end reaches the edge of the
/// plot; a finite one is always in view.
struct Band {
  double low = 0;
  double high = 0;
  std::string name{};  ///< in the legend, once for all bands of the name
};

enum class BoxStyle { shade, outline, dashes };

/// A rectangle, for example the goals of training. An infinite side reaches the edge of the plot; a finite
/// one is always in view. One without height or width is a line.
struct Box {
  double x_low = 0, x_high = 0;
  double y_low = 0, y_high = 0;
  std::string name{};  ///< in the legend, once for all boxes of the name
  BoxStyle style = BoxStyle::outline;
  std::string color{};  ///< any CSS colour; empty is the text colour
};

enum class ScaleSteps { even, logarithmic };

/// How `Series::values` become colours, and what the bar beside the plot says.
struct ColorScale {
  std::string label{};
  ScaleSteps steps = ScaleSteps::even;  ///< logarithmic: values of 0 and below take the lowest colour
  /// Values outside take the colour of the end. Without it the scale spans the values. Charts with the same
  /// range can be compared.
  std::optional<std::pair<double, double>> range{};
  bool operator==(const ColorScale&) const = default;
};

/// `above` draws names between title and plot, never over a curve; `none` leaves them to the page, which
/// draws one legend for several charts.
enum class Legend { above, none };

struct Chart {
  std::string title{}, x_label{}, y_label{};
  std::vector<Series> series{};
  std::vector<Band> bands{};
  /// Curves outside are cut off at the edge of the plot; points outside stand there as arrows.
  std::optional<std::pair<double, double>> y_range{};
  int width = 640;   ///< pixels, at least 160
  int height = 360;  ///< pixels, at least 120; more are taken when title and legend leave no room to draw
  Legend legend = Legend::above;
  std::vector<Box> boxes{};
  std::optional<std::pair<double, double>> x_range{};  ///< like y_range
  /// One unit is as long in y as in x: the plot is less high than `height` allows, or its x axis longer than
  /// the data.
  bool equal_axes = false;
  /// Logarithmic: equal distances are equal ratios; points of 0 and below are arrows at the edge. Not with
  /// equal_axes.
  ScaleSteps x_steps = ScaleSteps::even, y_steps = ScaleSteps::even;
  /// Names in place of numbers, at 0, 1, 2 and so on; those of y from the top down.
  std::vector<std::string> x_names{}, y_names{};
  ColorScale colors{};
};

/// Where the style sheet of a chart stands: in its image, or once in the document around it (chart_styles).
enum class ChartStyles { in_image, in_document };

/// `id` must differ between the charts of one document; empty derives one from the content. Throws Error when
/// lengths differ, when a range is not low < high, and when the chart is too small.
std::string to_svg(const Chart& chart, const std::string& id = "",
                   ChartStyles styles = ChartStyles::in_image);

/// The style sheet of every chart, as an HTML element.
std::string chart_styles();

/// The legend alone, as HTML to stand above charts drawn with Legend::none; empty when nothing has a name.
/// Its colours need chart_styles in the same document.
std::string legend_html(const Chart& chart);

}  // namespace kedge
