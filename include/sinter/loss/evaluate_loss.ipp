// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/number_text.hpp"
#include "sinter/loss/evaluate_loss.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void require_rows(const char* loss, std::size_t rows, std::size_t targets) {
  if (rows == 0) fail(std::string(loss) + " was given a batch of no rows, expected at least one; skip empty batches");
  if (targets != rows)
    fail(std::string(loss) + " was given " + std::to_string(targets) + " targets for " + std::to_string(rows) +
         " rows of outputs, expected one each; pass the targets of the same batch");
}

SINTER_FUNCTION void require_weights(const char* loss, std::size_t rows, std::size_t weights) {
  if (weights != rows)
    fail(std::string(loss) + " was given " + std::to_string(weights) + " weights for " + std::to_string(rows) +
         " rows of outputs, expected one each; pass the weights of the same batch");
}

SINTER_FUNCTION void require_weight(const char* loss, std::size_t row, double weight) {
  if (!is_weight(weight))
    fail(std::string(loss) + " was given the weight " + exact_text(weight) + " for row " + std::to_string(row) +
         ", expected " + weight_range + "; scale all weights alike");
}

}  // namespace detail

SINTER_NAMESPACE_END
