// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace sinter_test::ptx {

/// What a kernel must not do, or what is not known of it: its text, in which kernel and line, by which thread.
struct Fault : std::runtime_error {
  explicit Fault(const std::string& text) : std::runtime_error(text) {}
};

}  // namespace sinter_test::ptx
