// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/data/file.hpp"
#include "sinter/report/axis.hpp"

SINTER_NAMESPACE_BEGIN

/// A line through points in order of x. A y that is not finite is a gap; an x must be.
struct Curve {
  /// A place in the units of the axes.
  struct Point {
    double x, y;
  };
  std::string name;  ///< "": thin, and not in the legend
  std::string color;
  std::vector<Point> points;
};

/// Curves on common axes; the values are multiplied by `scale` first. With names of groups it has bars instead: the bar
/// of a curve's point is in group x, counted from 0.
struct Panel {
  std::string title;
  std::vector<Curve> curves;
  double scale = 1;
  double most = 1e300;  ///< the axis ends there
  std::string x_title = "epoch", y_title{};
  bool log_x = false, log_y = false;  ///< powers of ten at equal distances; numbers not above 0 are gaps
  std::vector<std::string> groups{};
  double width = 440;  ///< of the drawing, in pixels: 120 or more
};

/// Panels side by side, as the text of an SVG file; those that have nothing to draw are left out.
struct Chart {
  using Curve = internal::Curve;
  using Panel = internal::Panel;

  std::string title;
  std::vector<Panel> panels;

  /// Fails, and names the panel, at a scale, width or x that is not finite or is beyond the axis.
  std::string svg_text() const;
  /// Whole or not at all; fails where the path cannot be written.
  void svg(const std::string& path) const { write_file(path, svg_text()); }
};

/// Colours that can be distinguished without red or green.
std::string chart_color(std::size_t i);

namespace detail {

inline bool drawable(const double& y) { return is_finite(y) && y > -1e100 && y < 1e100; }

/// Fails at a number of a panel that nothing can be drawn with.
SINTER_COLD void check_panel(const Panel& panel);

/// A panel at its position in the drawing, x0 to x0 + width and 0 to height below `head`. Its legend is beside its
/// title, or on lines of its own below it.
class PanelDrawing {
 public:
  static constexpr double height = 320, right = 20, top = 40, bottom = 44, line_height = 17;

  PanelDrawing(const Panel& panel, double x0, double head, int legend_lines, std::string& svg);
  void draw();
  bool any() const;
  /// How many lines the legend needs for itself: 0 where it fits beside the title.
  int legend_lines() const;

 private:
  static std::string number(double x) { return fixed_text(x, 1); }
  bool bars() const { return !panel_.groups.empty(); }
  double at_x(double x) const { return x_.place(x, left_edge_, right_edge_); }
  double at_y(double y) const { return y_.place(y * panel_.scale, bottom_edge_, top_edge_); }
  bool drawn(const Curve::Point& point) const {
    const double y = point.y * panel_.scale;
    return drawable(point.y) && drawable(y) && (!panel_.log_y || y > 0) && (!panel_.log_x || point.x > 0);
  }
  bool has_points(const Curve& curve) const;
  void text(double x, double y, const char* anchor, const std::string& words, const std::string& more = "");
  void line(double x1, double y1, double x2, double y2, const std::string& color, const char* thickness = "1");
  bool in_legend(const Curve& one) const { return !one.name.empty() && has_points(one); }
  static double legend_width(const Curve& one) { return 6.4 * static_cast<double>(one.name.size()) + 38; }
  void legend();
  void draw_bars(std::size_t series);
  void draw_curve(const Curve& curve);
  /// Three significant digits, or all before the decimal point.
  static std::string short_text(double value);

  const Panel& panel_;
  std::string& svg_;
  double title_line_, left_edge_, right_edge_, bottom_edge_, top_edge_;
  Axis x_, y_;
};

}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::Chart;
using internal::chart_color;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/report/chart.ipp"
#endif
