// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/data/absolute_path.hpp"
#include "sinter/data/growing_file.hpp"
#include "sinter/io/protobuf.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Makes a folder and its parents; false if one cannot be made.
SINTER_COLD bool make_folders(const std::string& path);

/// A record of TensorFlow's: length, its sum, the bytes, their sum.
SINTER_COLD std::string tensorflow_record(std::string_view bytes);

}  // namespace detail

/// A callback of fit() that writes the curves of a training for TensorBoard, an epoch at a time: `tensorboard --logdir
/// runs . Each fit writes a file of its own to the folder, which is created if it does not exist; a fit that continues
/// from a checkpoint may use the same folder. If a record cannot be written (a full disk), fit stops and says so.
///
///     fit(net, train, NLLLoss{}, Adam{}, {.epochs = 50}, TensorBoard{.folder = "runs/first"});
struct TensorBoard {
  AbsolutePath folder;

  static constexpr bool on_rank_zero = true;

  GrowingFile file = {};

  /// Closes the file even if fit fails.
  auto hold_during_fit() { return GrowingFile::CloseAtEnd(&file); }
  void on_begin(const auto&) { begin(); }
  bool on_epoch_end(const auto& record, const auto&) {
    detail::Protobuf summary;
    const auto add = [&](std::string_view tag, const double& value) {
      const auto number = static_cast<float>(value);
      if (!is_finite(number)) return;  // not counted, or beyond what the file has
      detail::Protobuf scalar;
      scalar.text(1, tag);
      scalar.real(2, number);
      summary.message(1, scalar);
    };
    add("loss/train", record.train_loss);
    add("loss/validation", record.validation_loss);
    add("accuracy/validation", record.validation_accuracy);
    add("learning_rate", record.learning_rate);
    add("seconds", record.seconds);
    for (std::size_t h = 0; h < record.heads.size(); ++h) {
      const std::string head = "/head" + std::to_string(h);
      add("loss/train" + head, record.heads[h].train_loss);
      add("loss/validation" + head, record.heads[h].validation_loss);
      add("accuracy/validation" + head, record.heads[h].validation_accuracy);
    }
    detail::Protobuf event = event_now();
    event.number(2, record.epoch);
    event.message(5, summary);
    return write(event);
  }
  void on_end(const auto&) { file.close(); }
  std::string reason() const { return file.problem(); }

 private:
  SINTER_COLD void begin();
  static detail::Protobuf event_now();
  bool write(const detail::Protobuf& event) { return file.add(detail::tensorflow_record(event.bytes())); }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::TensorBoard;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/io/tensorboard.ipp"
#endif
