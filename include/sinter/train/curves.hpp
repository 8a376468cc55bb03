// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sinter/core/finite.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/train/axis.hpp"

SINTER_NAMESPACE_BEGIN

/// A line through points in order of x. A y that is not finite is a gap.
struct Curve {
  struct Point {
    double x, y;
  };
  const char* name;  ///< "" keeps it out of the legend, and thin
  const char* color;
  std::vector<Point> points;
};

/// Curves on common axes; the values are multiplied by `scale` first.
struct Panel {
  const char* title;
  std::vector<Curve> curves;
  double scale = 1;
  double most = 1e300;  ///< the axis ends there
};

namespace detail {

inline bool drawable(const double& y) { return is_finite(y) && y > -1e100 && y < 1e100; }

struct Drawing {
  static constexpr double width = 440, height = 320, left = 58, right = 14, top = 40, bottom = 44;
  std::string svg;

  static std::string at(double x) { return fixed_text(x, 1); }
  void text(double x, double y, const char* anchor, const std::string& words, const char* more = "") {
    svg += "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" + words +
           "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, const char* color, const char* thickness = "1") {
    svg += "<line x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) + "\" stroke=\"" +
           color + "\" stroke-width=\"" + thickness + "\"/>\n";
  }
  void curve(const Curve& curve, double scale, const Axis& x, const Axis& y, double x0) {
    const std::size_t count = curve.points.size();
    const bool named = *curve.name != 0;
    std::string path, dots;
    bool pen_down = false;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& point = curve.points[i];
      if (!drawable(point.y)) {
        pen_down = false;
        continue;
      }
      const std::string px = at(x.place(point.x, x0 + left, x0 + width - right));
      const std::string py = at(y.place(point.y * scale, height - bottom, top));
      path += (pen_down ? "L" : "M") + px + " " + py;
      const bool alone = !pen_down && (i + 1 == count || !drawable(curve.points[i + 1].y));
      if (alone || (named && count <= 40))
        dots += "<circle cx=\"" + px + "\" cy=\"" + py + "\" r=\"2.5\" fill=\"" + curve.color + "\"/>\n";
      pen_down = true;
    }
    svg += std::string("<path d=\"") + path + "\" fill=\"none\" stroke=\"" + curve.color + "\" stroke-width=\"" +
           (named ? "1.8" : "1") + "\" stroke-linejoin=\"round\"/>\n" + dots;
  }
  void panel(const Panel& panel, double x0) {
    double x_low = 1e300, x_high = -1e300, y_low = 1e300, y_high = -1e300;
    for (const auto& curve : panel.curves)
      for (const auto& point : curve.points) {
        x_low = point.x < x_low ? point.x : x_low, x_high = point.x > x_high ? point.x : x_high;
        if (!drawable(point.y)) continue;
        const double value = point.y * panel.scale;
        y_low = value < y_low ? value : y_low, y_high = value > y_high ? value : y_high;
      }
    const Axis x = Axis::integers(x_low, x_high), y = Axis::around(y_low, y_high, panel.most);

    const double right_edge = x0 + width - right, bottom_edge = height - bottom;
    for (double k = __builtin_floor(y.low / y.step + 0.5); k * y.step <= y.high + y.step / 2; ++k) {
      const double py = y.place(k * y.step, bottom_edge, top);
      line(x0 + left, py, right_edge, py, "#e4e4e4");
      text(x0 + left - 7, py + 4, "end", y.label(k * y.step));
    }
    for (double k = __builtin_ceil(x.low / x.step); k * x.step <= x.high; ++k) {
      const double px = x.place(k * x.step, x0 + left, right_edge);
      line(px, bottom_edge, px, bottom_edge + 4, "#888");
      text(px, bottom_edge + 18, "middle", x.label(k * x.step));
    }
    line(x0 + left, bottom_edge, right_edge, bottom_edge, "#888");
    text((x0 + left + right_edge) / 2, height - 8, "middle", "epoch");
    text(x0 + left, 24, "start", panel.title, " font-size=\"14\" font-weight=\"600\"");

    double legend = right_edge;
    for (std::size_t i = panel.curves.size(); i-- > 0;) {
      const Curve& one = panel.curves[i];
      if (!*one.name || !has_points(one)) continue;
      text(legend, 24, "end", one.name);
      legend -= 6.4 * double(std::string(one.name).size()) + 6;
      line(legend - 18, 20, legend, 20, one.color, "2.5");
      legend -= 32;
    }
    for (const auto& one : panel.curves)
      if (has_points(one)) curve(one, panel.scale, x, y, x0);
  }
  static bool has_points(const Curve& curve) {
    for (const auto& point : curve.points)
      if (drawable(point.y)) return true;
    return false;
  }
};

}  // namespace detail

/// Panels side by side, without those that have nothing to draw, as the text of an SVG file.
inline std::string curves_svg(const std::vector<Panel>& panels) {
  detail::Drawing drawing;
  double width = 0;
  for (const auto& panel : panels) {
    bool any = false;
    for (const auto& curve : panel.curves) any = any || detail::Drawing::has_points(curve);
    if (!any) continue;
    drawing.panel(panel, width);
    width += detail::Drawing::width;
  }
  if (width == 0) drawing.text((width = detail::Drawing::width) / 2, 160, "middle", "nothing was counted");
  const std::string size = fixed_text(width, 0) + " " + fixed_text(detail::Drawing::height, 0);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" width=\"" + fixed_text(width, 0) +
         "\" height=\"" + fixed_text(detail::Drawing::height, 0) +
         "\" font-family=\"system-ui, DejaVu Sans, sans-serif\" font-size=\"12\" fill=\"#333\">\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" +
         drawing.svg + "</svg>\n";
}

SINTER_NAMESPACE_END
