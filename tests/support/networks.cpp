// SPDX-License-Identifier: MIT
#include "support/networks.hpp"

namespace sinter_test {

void check_gradients(const AnyModel& model, const AnyEngine<double>& reference, const AnyEngine<double>& engine,
                     std::initializer_list<std::size_t> batches, std::size_t most) {
  INFO(layers_of(model));
  for (const std::size_t rows : batches) {
    const WorstError worst =
        gradient_check(engine, smooth_batch(model, reference, rows, 1), 1.0 / static_cast<double>(rows), most);
    CAPTURE(rows);
    CAPTURE(worst.tensor);
    CHECK(worst.error < 1e-6);
  }
}

}  // namespace sinter_test
