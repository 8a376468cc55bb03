// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>
#include <sinter/report/chart.hpp>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {
std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++n;
  return n;
}
/// The numbers after `attribute="` in each element that begins with `element`.
std::vector<double> numbers_of(const std::string& svg, const std::string& element, const std::string& attribute) {
  std::vector<double> all;
  for (std::size_t at = 0; (at = svg.find("<" + element, at)) != svg.npos; ++at)
    all.push_back(std::atof(svg.c_str() + svg.find(attribute + "=\"", at) + attribute.size() + 2));
  return all;
}
}  // namespace

TEST_CASE("a title, titles of axes, a legend, and what XML would take for marks") {
  Panel panel{.title = "seconds < minutes", .curves = {{"host & co", chart_color(0), {{1, 2}, {2, 3}}}}};
  panel.x_title = "layers", panel.y_title = "seconds";
  const std::string svg = Chart{"Depth", {panel}}.svg_text();
  for (const char* words : {">Depth</text>", ">seconds &lt; minutes</text>", ">host &amp; co</text>", ">layers</text>",
                            ">seconds</text>", "viewBox=\"0 0 440 354\"", "rotate(-90 "})
    CHECK(has(svg, words));
  CHECK(!has(svg, "epoch"));
  CHECK(count(svg, "<circle") == 2);
}

TEST_CASE("a legend that is too long for the line of the title has lines of its own, within the panel") {
  const auto places = [](std::size_t names) {
    Panel panel{.title = "validation accuracy, %", .curves = {}};
    for (std::size_t i = 0; i < names; ++i)
      panel.curves.push_back({"network " + std::to_string(i), chart_color(i), {{1, double(i)}, {2, 1}}});
    const std::string svg = Chart{"", {{.title = "p", .curves = {{"q", "#000", {{1, 1}}}}}, panel}}.svg_text();
    std::vector<double> x, y;
    for (std::size_t at = 0; (at = svg.find("\">network", at)) != svg.npos; ++at) {
      const std::size_t begin = svg.rfind("<text", at);
      x.push_back(std::atof(svg.c_str() + svg.find("x=\"", begin) + 3));
      y.push_back(std::atof(svg.c_str() + svg.find(" y=\"", begin) + 4));
    }
    REQUIRE(x.size() == names);
    for (std::size_t i = 0; i < names; ++i) {
      CHECK(x[i] > 440 + 58);
      CHECK(x[i] + 6.4 * 9 < 880 - 14);
      if (i > 0) CHECK((y[i] > y[i - 1] || x[i] > x[i - 1] + 6.4 * 9 + 18));
    }
    CHECK(has(svg, "viewBox=\"0 0 880 " + std::to_string(names <= 1 ? 320 : names <= 3 ? 337 : 354) + "\""));
    return y.back() - y.front();
  };
  CHECK(places(1) == 0);
  CHECK(places(3) == 0);
  CHECK(places(5) == 17);
}

TEST_CASE("decades are at equal distances, and what is not above 0 is a gap") {
  Panel panel{.title = "", .curves = {{"a", "#000", {{10, 0.01}, {100, 1}, {1000, 0}, {10000, 100}}}}};
  panel.log_x = panel.log_y = true;
  const std::string svg = Chart{"", {panel}}.svg_text();
  const auto x = numbers_of(svg, "circle", "cx"), y = numbers_of(svg, "circle", "cy");
  REQUIRE(x.size() == 3);
  CHECK(x[1] - x[0] == doctest::Approx((x[2] - x[1]) / 2).epsilon(0.01));
  CHECK(y[0] - y[1] == doctest::Approx(y[1] - y[2]).epsilon(0.01));
  for (const char* label : {">0.01<", ">0.1<", ">1<", ">10<", ">100<", ">1000<", ">10000<"}) CHECK(has(svg, label));
  CHECK(count(svg, "M") == 2);  // the pen is lifted once
}

TEST_CASE("the last label of an axis ends within the drawing") {
  Panel panel{.title = "", .curves = {{"a", "#000", {{10, 1}, {1e6, 2}}}}};
  panel.log_x = true;
  const std::string svg = Chart{"", {panel}}.svg_text();
  const std::size_t at = svg.rfind("<text x=\"", svg.find(">1000000<"));
  CHECK(std::atof(svg.c_str() + at + 9) + 3.5 * 7 < 440);
  CHECK(std::atof(svg.c_str() + at + 9) > 410);
}

TEST_CASE("an axis of decades: few ticks, also for one value") {
  using detail::Axis;
  const auto ticks = [](const Axis& axis) {
    std::string all;
    axis.each_tick(true, [&](double tick) { all += axis.label(tick) + " "; });
    return all;
  };
  CHECK(ticks(Axis::decades(0.02, 30)) == "0.01 0.1 1 10 100 ");
  CHECK(ticks(Axis::decades(5, 5)) == "1 10 ");
  CHECK(ticks(Axis::decades(1000, 1000)) == "1000 10000 ");
  CHECK(ticks(Axis::decades(1, 1e7)) == "1e0 1e1 1e2 1e3 1e4 1e5 1e6 1e7 ");
  CHECK(ticks(Axis::decades(1e-9, 1e9)).size() < 80);
}

TEST_CASE("an axis that ends on its values has ticks between them, at multiples of their distance") {
  const auto ticks = [](double low, double high) {
    std::vector<double> all;
    detail::Axis::integers(low, high).each_tick(false, [&](double tick) { all.push_back(tick); });
    return all;
  };
  CHECK(ticks(1, 30) == std::vector<double>{10, 20, 30});
  CHECK(ticks(3, 7) == std::vector<double>{3, 4, 5, 6, 7});
  CHECK(ticks(-9, 14) == std::vector<double>{-5, 0, 5, 10});
}

TEST_CASE("bars are in groups and begin at the bottom of the axis") {
  Panel panel{.title = "", .curves = {{"host", "#111111", {{0, 4}, {1, 2}}}, {"cuda", "#222222", {{0, 1}}}}};
  panel.groups = {"mean epoch", "total"};
  const std::string svg = Chart{"", {panel}}.svg_text();
  const auto heights = numbers_of(svg, "rect x", "height"), x = numbers_of(svg, "rect x", "x"),
             y = numbers_of(svg, "rect x", "y");
  REQUIRE(heights.size() == 3);
  CHECK(heights[0] == doctest::Approx(2 * heights[1]).epsilon(0.01));
  CHECK(heights[0] == doctest::Approx(4 * heights[2]).epsilon(0.01));
  CHECK(y[0] + heights[0] == doctest::Approx(y[2] + heights[2]).epsilon(0.01));
  CHECK((x[0] < x[2] && x[2] < x[1]));
  for (const char* words : {">mean epoch<", ">total<", ">4.00<", ">host<", ">cuda<"}) CHECK(has(svg, words));
  panel.log_y = true;
  const auto decades = numbers_of(Chart{"", {panel}}.svg_text(), "rect x", "height");
  CHECK(decades[0] > decades[1]);
  CHECK(decades[1] > decades[2]);
}

TEST_CASE("empty panels are left out; nothing at all is said") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Panel empty{.title = "empty", .curves = {{"a", "#000", {{1, nan}}}}};
  const Panel drawn{.title = "drawn", .curves = {{"b", "#000", {{1, 1}}}}};
  const std::string one = Chart{"", {empty, drawn}}.svg_text();
  CHECK(has(one, "viewBox=\"0 0 440 320\""));
  CHECK(!has(one, ">empty<"));
  CHECK(!has(one, "nan"));
  CHECK(has(Chart{"T", {empty}}.svg_text(), "nothing was counted"));
}

TEST_CASE("a file, whole") {
  const TemporaryFolder folder;
  const Chart chart{"T", {{.title = "p", .curves = {{"b", "#000", {{1, 1}}}}}}};
  chart.svg(folder / "c.svg");
  CHECK(read_text(folder / "c.svg") == chart.svg_text());
  CHECK(error_of([&] { chart.svg(folder / "no/c.svg"); }).find("cannot write") == 0);
}

TEST_CASE("numbers that nothing can be drawn with") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  const auto refused = [](const auto& change) {
    Panel panel{.title = "p", .curves = {{"a", "#000", {{1, 2}, {2, 3}}}}};
    change(panel);
    return error_of([&] { Chart{"", {panel}}.svg_text(); });
  };
  const auto at = [](double x) { return [x](Panel& panel) { panel.curves[0].points[1].x = x; }; };
  CHECK(refused(at(infinite)) ==
        "the panel \"p\" of a chart was given a point at x = inf, expected a finite number, from -1e15 to 1e15; "
        "correct it");
  for (const double x : {nan, -infinite, 1e300, 1e17}) CHECK(has(refused(at(x)), "was given a point at x = "));
  const auto in_decades = [&](double x) { return refused([&](Panel& panel) { at(x)(panel), panel.log_x = true; }); };
  CHECK(in_decades(1e17) == "(no error)");
  CHECK(in_decades(0) == "(no error)");
  CHECK(has(in_decades(infinite), "x = inf, expected a finite number; correct it"));
  const auto bar_at = [&](double x) {
    return refused([&](Panel& panel) { at(x)(panel), panel.groups = {"a", "b", "c"}; });
  };
  CHECK(bar_at(0) == "(no error)");
  for (const double x : {-1.0, 3.0, nan})
    CHECK(has(bar_at(x), "expected the number of a group, counted from 0; correct it"));
  for (const double scale : {nan, infinite})
    CHECK(
        has(refused([&](Panel& panel) { panel.scale = scale; }), "expected a finite number, such as 100 for percent"));
  for (const double width : {nan, infinite, 0.0, -440.0, 60.0})
    CHECK(has(refused([&](Panel& panel) { panel.width = width; }), "expected 120 pixels or more"));
  CHECK(has(refused([&](Panel& panel) { panel.most = nan; }), "was given most = nan"));
}

TEST_CASE("a value that its scale makes too large is a gap, and the smallest differences have an axis") {
  const Panel large{.title = "", .curves = {{"a", "#000", {{1, 1e99}, {2, 1}}}}, .scale = 1e99};
  CHECK(numbers_of(Chart{"", {large}}.svg_text(), "circle", "cx").size() == 1);
  const Panel small{.title = "", .curves = {{"a", "#000", {{0, 0}, {5e-324, 5e-324}}}}};
  CHECK(numbers_of(Chart{"", {small}}.svg_text(), "circle", "cx").size() == 2);
}

TEST_CASE("an axis that ends below what it shows, and a bar between groups, are refused") {
  Panel panel{.title = "loss", .curves = {{"a", "#000", {{1, 10}, {2, 20}}}}};
  for (const double most : {1.0, 10.0, -1.0}) {
    panel.most = most;
    CHECK(error_of([&] { Chart{"", {panel}}.svg_text(); }).find("expected more than its lowest number, 10") !=
          std::string::npos);
  }
  panel.most = 15;
  CHECK_NOTHROW(Chart{"", {panel}}.svg_text());
  panel = {.title = "bars", .curves = {{"a", "#000", {{0.5, 1}}}}, .groups = {"one", "two"}};
  CHECK(error_of([&] { Chart{"", {panel}}.svg_text(); }).find("a bar at x = 0.5") != std::string::npos);
}
