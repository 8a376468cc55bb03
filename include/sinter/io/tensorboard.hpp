// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <cstring>
#include <string>
#include <string_view>
#if defined(_WIN32)
#include <direct.h>
#endif

#include "sinter/core/error.hpp"
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
/// runs`. Each fit writes a file of its own to the folder, which is made if it is not there; one that goes on from a
/// checkpoint may have the same folder. Where a line cannot be written (a full disk), fit stops and says so.
///
///     fit(net, train, NLLLoss{}, Adam{}, {.epochs = 50}, TensorBoard{.folder = "runs/first"});
struct TensorBoard {
  AbsolutePath folder;

  GrowingFile file = {};

  /// Closes the file also where fit fails.
  auto hold_during_fit() { return GrowingFile::CloseAtEnd(&file); }
  void on_begin(const auto&);
  bool on_epoch_end(const auto& record, const auto&);
  void on_end(const auto&) { file.close(); }
  std::string reason() const { return file.problem(); }

 private:
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
