// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/data/file.hpp"
#include "sinter/report/chart.hpp"

SINTER_NAMESPACE_BEGIN

/// The results of one head of a network that ends in Heads, in an epoch. The factors given to head_losses() are left
/// out.
struct HeadRecord {
  static constexpr double not_counted = std::numeric_limits<double>::quiet_NaN();

  double train_loss = not_counted;
  double validation_loss = not_counted;
  double validation_accuracy = not_counted;
};

/// The results of one epoch. Losses are means over rows, accuracies fractions of rows, 0 to 1; NaN where not measured.
struct EpochRecord {
  static constexpr double not_counted = HeadRecord::not_counted;

  int epoch = 0;  ///< from 1
  double train_loss = not_counted;
  double validation_loss = not_counted;
  double validation_accuracy = not_counted;
  double seconds = 0;  ///< of the training pass, without validation
  double learning_rate = 0;
  std::vector<HeadRecord> heads = {};  ///< in the order of the heads; empty for a network without heads

  /// The loss that says how good an epoch was: of validation, or, where nothing is validated, of training.
  const double& judged_loss(bool validates) const {
    return validates || !is_nan(validation_loss) ? validation_loss : train_loss;
  }
};

/// Mean training loss of the rows since the last record of the kind.
struct IntervalRecord {
  int epoch = 0;            ///< from 1
  std::size_t samples = 0;  ///< seen in that epoch so far
  double loss = EpochRecord::not_counted;
};

/// What fit() returns: a value, to be kept, written or drawn.
struct History {
  std::vector<EpochRecord> epochs;
  std::vector<IntervalRecord> intervals;
  std::size_t samples_per_epoch = 0;
  std::string stopped;  ///< why training ended early; empty if it was completed

  /// The epoch with the least validation loss, or the least training loss without validation.
  const EpochRecord& best() const;
  std::string csv_text() const;
  std::string json_text() const;
  std::string svg_text() const;

  /// Write a file, whole or not at all; fail if the path cannot be written. CSV has a line per epoch, and an empty
  /// field for a number that was not measured; JSON also has intervals, and null; SVG draws the curves of loss and
  /// accuracy.
  void csv(const std::string& path) const { write_file(path, csv_text()); }
  void json(const std::string& path) const { write_file(path, json_text()); }
  void svg(const std::string& path) const { write_file(path, svg_text()); }
};

namespace detail {

template <class Record>
struct HistoryColumn {
  const char* name;
  double Record::* value;
};
inline constexpr HistoryColumn<HeadRecord> head_columns[] = {
    {"train_loss", &HeadRecord::train_loss},
    {"validation_loss", &HeadRecord::validation_loss},
    {"validation_accuracy", &HeadRecord::validation_accuracy},
};
inline constexpr HistoryColumn<EpochRecord> history_columns[] = {
    {"train_loss", &EpochRecord::train_loss},
    {"validation_loss", &EpochRecord::validation_loss},
    {"validation_accuracy", &EpochRecord::validation_accuracy},
    {"seconds", &EpochRecord::seconds},
    {"learning_rate", &EpochRecord::learning_rate},
};

inline std::string json_number(const double& x) { return is_finite(x) ? exact_text(x) : "null"; }

// Of the formats, without the ends of lines.
SINTER_COLD std::string csv_header(std::size_t heads);
SINTER_COLD std::string csv_row(const EpochRecord& record);
SINTER_COLD std::string json_object(const EpochRecord& record);

}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::EpochRecord;
using internal::HeadRecord;
using internal::History;
using internal::IntervalRecord;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/report/history.ipp"
#endif
