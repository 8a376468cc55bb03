// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <sinter/report/chart.hpp>
#include <string>

/// Writes the chart to the path given by --svg, if any.
inline void write_chart(const sinter::Chart& chart, const std::string& path) {
  if (path.empty()) return;
  chart.svg(path);
  std::printf("wrote %s\n", path.c_str());
}
