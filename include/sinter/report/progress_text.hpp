// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "sinter/core/macros.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/report/history.hpp"
#include "sinter/report/terminal.hpp"
#include "sinter/report/training_info.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Three digits: 0.123, 1.23, 12.3, 123.
SINTER_COLD inline std::string three_digits(double x) {
  return fixed_text(x, x < 1 ? 3 : x < 10 ? 2 : x < 100 ? 1 : 0);
}

SINTER_COLD std::string loss_text(const double& loss);
SINTER_COLD std::string rate_text(double per_second);
SINTER_COLD std::string seconds_text(double seconds);

/// 01:02, or 3:01:02.
SINTER_COLD std::string clock_text(double seconds);

/// "epoch  3/10"; without the number of epochs, "epoch 3".
SINTER_COLD std::string epoch_text(int epoch, int epochs);

/// `fraction` of `cells` filled, in eighths of a cell where the terminal can show them.
SINTER_COLD std::string bar_text(double fraction, std::size_t cells, bool unicode);

/// A line that fits the terminal, and the columns that it takes.
struct LiveLine {
  std::string text;
  std::size_t columns;
};

/// `epoch  3/10  62%|██████▏   | 37200/60000 [00:01<00:00, 52.1k/s] loss 0.2130`
SINTER_COLD LiveLine live_line(const BatchInfo& info, double seconds, const Terminal& terminal);
SINTER_COLD std::string percent_text(const double& fraction);

/// Empty for NaN, an unknown number.
SINTER_COLD std::string known_loss(const char* name, const double& loss);
SINTER_COLD std::string known_accuracy(const double& fraction);
/// `between` and "(0.0921, 0.3012)", of the heads; empty where none has such a number.
SINTER_COLD std::string of_heads(const EpochRecord& record, double HeadRecord::* value, const char* between,
                                 std::string (*text)(const double&));

/// `epoch  3/10  1.12 s  53.6k/s  loss 0.2134  validation loss 0.0921  accuracy 97.12 %`, each number followed by those
/// of heads.
SINTER_COLD std::string finished_line(const EpochRecord& record, int epochs, std::size_t samples);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/report/progress_text.ipp"
#endif
