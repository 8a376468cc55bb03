// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace counting {

/// What a call of `items` is.
struct Call {
  std::string phase;
  double multiply_adds = 0;
  bool in_step = true;          // false: once in a launch
  double row_instructions = 0;  // of a function of a row, by each thread
};

}  // namespace counting
