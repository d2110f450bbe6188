#pragma once

// Chart: curves over one pair of axes, drawn as a self-contained SVG image.
//
// Laws: the text is well-formed XML with no script and no reference to anything outside it; the same chart
// gives the same text. A point whose x or y is not finite breaks its line. However long the series, what is
// written is bounded by what the pixels can show (see thin.h). Text and axes take the reader's light or dark
// text colour; the palette stays apart for colour-blind readers in both.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kedge {

enum class SeriesStyle { line, dashes, points };

struct Series {
  std::string name{};            ///< in the legend; a series without a name is drawn but not listed
  std::vector<double> x{}, y{};  ///< of one length
  /// Edges of a shaded band around y (a deviation, a quantile range): both empty, or as long as x.
  std::vector<double> y_low{}, y_high{};
  /// Any CSS colour; "currentColor" is the text colour, for a reference curve. Empty takes the palette's
  /// colour at the series' place in the chart, so charts with the same order agree.
  std::string color{};
  SeriesStyle style = SeriesStyle::line;
};

/// A shaded stretch of the x axis, for example the training range. An infinite end reaches the edge of the
/// plot; a finite one is always in view.
struct Band {
  double low = 0;
  double high = 0;
  std::string name{};
};

/// `above` draws names between title and plot, never over a curve; `none` leaves them to the page, which
/// draws one legend for several charts.
enum class Legend { above, none };

struct Chart {
  std::string title{}, x_label{}, y_label{};
  std::vector<Series> series{};
  std::vector<Band> bands{};
  std::optional<std::pair<double, double>> y_range{};  ///< curves outside are cut off at the edge of the plot
  int width = 640;                                     ///< pixels, at least 160
  int height = 360;  ///< pixels, at least 120; more are taken when title and legend leave no room to draw
  Legend legend = Legend::above;
};

/// `id` must differ between the charts of one document; empty derives one from the content. Throws Error when
/// lengths differ, when y_range is not low < high, and when the chart is too small.
std::string to_svg(const Chart& chart, const std::string& id = "");

/// The legend alone, as HTML to stand above charts drawn with Legend::none; empty when nothing has a name.
/// Its colours need a chart in the same document.
std::string legend_html(const Chart& chart);

}  // namespace kedge
