// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "support/ptx/instruction.hpp"

namespace sinter_test::ptx {

/// A sum and a product before it that both have no rounding modifier: ptxas may make them one fma. They are made one
/// here, so that what depends on it shows.
void contract(Kernel& kernel, const std::map<std::string, int>& labels);

}  // namespace sinter_test::ptx
