// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/error.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/text.hpp"
#include "sinter/loss/target_range.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void fail_target(const char* loss, std::size_t row, int number, double target, const char* taken) {
  fail(joined({"number ", static_cast<unsigned>(number), " of row ", row, " of the targets is ", exact_text(target),
               ", and ", loss, " compares with ", taken, "; correct or scale the targets, or use MSELoss"}));
}

}  // namespace detail

SINTER_NAMESPACE_END
