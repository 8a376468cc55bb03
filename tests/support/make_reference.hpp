// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/reference/engine.hpp"

namespace sinter_test {

/// The reference, for check_gradients and other checks of all devices.
struct MakeReference {
  template <class Model, class T>
  sinter::internal::ReferenceEngine<Model, T> make() const {
    return {};
  }
};

}  // namespace sinter_test
