// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/error.hpp"
#include "sinter/core/text.hpp"
#include "sinter/core/xml_text.hpp"
#include "sinter/report/chart.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION std::string chart_color(std::size_t i) {
  constexpr const char* colors[] = {"#2a6fbb", "#d95f0e", "#3a9a5b", "#8a5cb0", "#7a7a7a"};
  return colors[i % 5];
}

namespace detail {

SINTER_FUNCTION void check_panel(const Panel& panel) {
  const auto expect = [&](bool sound, std::string_view what, double given, std::string_view expected) {
    if (!sound)
      fail(joined({"the panel \"", panel.title, "\" of a chart was given ", what, exact_text(given), ", expected ",
                   expected, "; correct it"}));
  };
  expect(drawable(panel.scale), "scale = ", panel.scale, "a finite number, such as 100 for percent");
  expect(drawable(panel.width) && panel.width >= 120, "width = ", panel.width, "120 pixels or more");
  expect(!is_nan(panel.most), "most = ", panel.most, "the largest number of the axis");
  const auto groups = static_cast<double>(panel.groups.size());
  for (const Curve& curve : panel.curves)
    for (const auto& [x, y] : curve.points)
      if (groups > 0)
        expect(drawable(x) && x >= 0 && x < groups && x == __builtin_floor(x), "a bar at x = ", x,
               "the number of a group, counted from 0");
      else if (panel.log_x)
        expect(drawable(x), "a point at x = ", x, "a finite number");
      else
        expect(drawable(x) && x >= -1e15 && x <= 1e15, "a point at x = ", x, "a finite number, from -1e15 to 1e15");
}

SINTER_FUNCTION PanelDrawing::PanelDrawing(const Panel& panel, double x0, double head, int legend_lines,
                                           std::string& svg)
    : panel_(panel),
      svg_(svg),
      title_line_(head + top - 16),
      bottom_edge_(head + height - bottom + line_height * legend_lines),
      top_edge_(head + top + line_height * legend_lines) {
  left_edge_ = x0 + (panel.y_title.empty() ? 58 : 76);
  right_edge_ = x0 + panel.width - right;
  if (!any()) return;  // no axis goes around nothing
  double x_low = 1e300, x_high = -1e300, y_low = 1e300, y_high = -1e300;
  for (const auto& curve : panel.curves)
    for (const auto& point : curve.points) {
      if (panel.log_x && point.x <= 0) continue;
      x_low = point.x < x_low ? point.x : x_low, x_high = point.x > x_high ? point.x : x_high;
      if (!drawn(point)) continue;
      const double value = point.y * panel.scale;
      y_low = value < y_low ? value : y_low, y_high = value > y_high ? value : y_high;
    }
  if (bars() && !panel.log_y) y_low = y_low < 0 ? y_low : 0;
  x_ = bars()        ? Axis{-0.5, static_cast<double>(panel.groups.size()) - 0.5, 1}
       : panel.log_x ? Axis::decades(x_low, x_high)
                     : Axis::integers(x_low, x_high);
  if (!panel.log_y && panel.most <= y_low && (panel.most < y_low || y_low < y_high))
    fail(joined({"the panel \"", panel.title, "\" of a chart was given most = ", exact_text(panel.most),
                 ", expected more than its lowest number, ", exact_text(y_low), "; correct it or leave it out"}));
  y_ = panel.log_y ? Axis::decades(y_low, y_high) : Axis::around(y_low, y_high, panel.most);
}

SINTER_FUNCTION void PanelDrawing::draw() {
  y_.each_tick(true, [&](double tick) {
    const double py = y_.place(tick, bottom_edge_, top_edge_);
    line(left_edge_, py, right_edge_, py, "#e4e4e4");
    text(left_edge_ - 7, py + 4, "end", y_.label(tick));
  });
  if (bars())
    for (std::size_t g = 0; g < panel_.groups.size(); ++g)
      text(at_x(static_cast<double>(g)), bottom_edge_ + 18, "middle", panel_.groups[g]);
  else
    x_.each_tick(false, [&](double tick) {
      line(at_x(tick), bottom_edge_, at_x(tick), bottom_edge_ + 4, "#888");
      const std::string words = x_.label(tick);
      const double most = right_edge_ + right - 3.6 * static_cast<double>(words.size());  // all of it in the panel
      text(at_x(tick) < most ? at_x(tick) : most, bottom_edge_ + 18, "middle", words);
    });
  line(left_edge_, bottom_edge_, right_edge_, bottom_edge_, "#888");
  text((left_edge_ + right_edge_) / 2, bottom_edge_ + 36, "middle", panel_.x_title);
  text(left_edge_, title_line_, "start", panel_.title, " font-size=\"14\" font-weight=\"600\"");
  if (!panel_.y_title.empty()) {
    const double px = left_edge_ - 60, py = (bottom_edge_ + top_edge_) / 2;
    text(px, py, "middle", panel_.y_title, " transform=\"rotate(-90 " + number(px) + " " + number(py) + ")\"");
  }
  legend();
  for (std::size_t i = 0; i < panel_.curves.size(); ++i)
    if (has_points(panel_.curves[i])) bars() ? draw_bars(i) : draw_curve(panel_.curves[i]);
}

SINTER_FUNCTION bool PanelDrawing::any() const {
  for (const auto& curve : panel_.curves)
    if (has_points(curve)) return true;
  return false;
}

SINTER_FUNCTION int PanelDrawing::legend_lines() const {
  const double width = right_edge_ - left_edge_;
  double all = 0, line = 0;
  int lines = 1;
  for (const Curve& one : panel_.curves) {
    if (!in_legend(one)) continue;
    const double entry = legend_width(one);
    all += entry;
    if (line > 0 && line + entry > width) ++lines, line = 0;
    line += entry;
  }
  return all + 8 * static_cast<double>(panel_.title.size()) <= width ? 0 : lines;
}

SINTER_FUNCTION bool PanelDrawing::has_points(const Curve& curve) const {
  for (const auto& point : curve.points)
    if (drawn(point)) return true;
  return false;
}

SINTER_FUNCTION void PanelDrawing::text(double x, double y, const char* anchor, const std::string& words,
                                        const std::string& more) {
  svg_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" +
          xml_text(words) + "</text>\n";
}

SINTER_FUNCTION void PanelDrawing::line(double x1, double y1, double x2, double y2, const std::string& color,
                                        const char* thickness) {
  svg_ += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
          "\" stroke=\"" + xml_text(color) + "\" stroke-width=\"" + thickness + "\"/>\n";
}

SINTER_FUNCTION void PanelDrawing::legend() {
  const int lines = legend_lines();
  double x = left_edge_, y = title_line_ + (lines > 0 ? line_height : 0);
  if (lines == 0) {  // it ends where the panel does
    x = right_edge_ + 14;
    for (const Curve& one : panel_.curves) x -= in_legend(one) ? legend_width(one) : 0;
  }
  for (const Curve& one : panel_.curves) {
    if (!in_legend(one)) continue;
    if (lines > 0 && x > left_edge_ && x + legend_width(one) > right_edge_) x = left_edge_, y += line_height;
    line(x, y - 4, x + 18, y - 4, one.color, bars() ? "9" : "2.5");
    text(x + 24, y, "start", one.name);
    x += legend_width(one);
  }
}

SINTER_FUNCTION void PanelDrawing::draw_bars(std::size_t series) {
  const Curve& curve = panel_.curves[series];
  const double group = (right_edge_ - left_edge_) / static_cast<double>(panel_.groups.size());
  const double bar = 0.7 * group / static_cast<double>(panel_.curves.size());
  for (const auto& point : curve.points) {
    if (!drawn(point)) continue;
    const double x = at_x(point.x) - 0.35 * group + bar * static_cast<double>(series), y = at_y(point.y);
    const double foot = panel_.log_y ? bottom_edge_ : at_y(0), high = y < foot ? y : foot;
    svg_ += "<rect x=\"" + number(x) + "\" y=\"" + number(high) + "\" width=\"" + number(bar) + "\" height=\"" +
            number(y < foot ? foot - y : y - foot) + "\" fill=\"" + xml_text(curve.color) + "\"/>\n";
    text(x + bar / 2, high - 4, "middle", short_text(point.y * panel_.scale), " font-size=\"11\"");
  }
}

SINTER_FUNCTION void PanelDrawing::draw_curve(const Curve& curve) {
  const std::size_t count = curve.points.size();
  const bool named = !curve.name.empty();
  std::string path, dots;
  bool pen_down = false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& point = curve.points[i];
    if (!drawn(point)) {
      pen_down = false;
      continue;
    }
    const std::string px = number(at_x(point.x)), py = number(at_y(point.y));
    path += (pen_down ? "L" : "M") + px + " " + py;
    const bool alone = !pen_down && (i + 1 == count || !drawn(curve.points[i + 1]));
    if (alone || (named && count <= 40))
      dots += "<circle cx=\"" + px + "\" cy=\"" + py + "\" r=\"2.5\" fill=\"" + xml_text(curve.color) + "\"/>\n";
    pen_down = true;
  }
  svg_ += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + xml_text(curve.color) + "\" stroke-width=\"" +
          (named ? "1.8" : "1") + "\" stroke-linejoin=\"round\"/>\n" + dots;
}

SINTER_FUNCTION std::string PanelDrawing::short_text(double value) {
  int decimals = 2;
  for (double v = value < 0 ? -value : value; v >= 10 && decimals > 0; v /= 10) --decimals;
  for (double v = value < 0 ? -value : value; v > 0 && v < 1 && decimals < 6; v *= 10) ++decimals;
  return fixed_text(value, decimals);
}

}  // namespace detail

SINTER_FUNCTION std::string Chart::svg_text() const {
  const double head = title.empty() ? 0 : 34;
  std::string svg;
  int lines = 0;  // of the longest legend: panels side by side begin at one height
  for (const Panel& panel : panels) {
    detail::check_panel(panel);
    const detail::PanelDrawing drawing(panel, 0, head, 0, svg);
    if (const int own = drawing.any() ? drawing.legend_lines() : 0; own > lines) lines = own;
  }
  double width = 0;
  for (const Panel& panel : panels) {
    detail::PanelDrawing drawing(panel, width, head, lines, svg);
    if (!drawing.any()) continue;
    drawing.draw();
    width += panel.width;
  }
  if (width == 0) {
    width = Panel{}.width;
    svg = "<text x=\"220\" y=\"160\" text-anchor=\"middle\">nothing was counted</text>\n";
  }
  if (head > 0)
    svg += "<text x=\"" + fixed_text(width / 2, 1) + "\" y=\"26\" text-anchor=\"middle\" font-size=\"17\" " +
           "font-weight=\"600\">" + xml_text(title) + "</text>\n";
  const std::string across = fixed_text(width, 0),
                    down =
                        fixed_text(head + detail::PanelDrawing::height + detail::PanelDrawing::line_height * lines, 0);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + across + " " + down + "\" width=\"" + across +
         "\" height=\"" + down +
         "\" font-family=\"system-ui, DejaVu Sans, sans-serif\" font-size=\"12\" fill=\"#333\">\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" +
         svg + "</svg>\n";
}

SINTER_NAMESPACE_END
