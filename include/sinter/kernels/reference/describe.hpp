// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "sinter/device/reference.hpp"

SINTER_NAMESPACE_BEGIN

/// How the reference computes a batch of a model, for describe().
template <class Model, class T>
std::string describe_plan(const Reference&, std::size_t batch) {
  return "reference: one op after another, each over all rows; batch " + std::to_string(batch) + "\n";
}

SINTER_NAMESPACE_END
