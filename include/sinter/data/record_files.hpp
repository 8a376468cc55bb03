// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sinter/core/byte_order.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/cannot_open.hpp"
#include "sinter/data/file.hpp"
#include "sinter/data/normalize.hpp"

SINTER_NAMESPACE_BEGIN

/// The size of a record in bytes, and the offsets of its label and of the numbers of its row, which are contiguous.
struct RecordForm {
  std::size_t size, label, inputs;
};

namespace detail {
[[noreturn]] SINTER_COLD void fail_record_file(const std::string& path, std::size_t bytes, std::size_t record);
[[noreturn]] SINTER_COLD void fail_to_read_record(const std::string& path, std::size_t record, int cause);
}  // namespace detail

/// A dataset that stays in its files, larger than memory: records of one size, each a label (an integer of type Label)
/// and a row of S::size numbers of type T, little-endian. fit(), evaluate() and batches() read them ahead by a thread
/// of its own:
///
///     const RecordFiles<std::uint8_t, Shape<3, 32, 32>, std::uint8_t> pictures({"a.bin", "b.bin"},
///                                                                              Normalize::pixels(0.5f, 1));
///     fit(net, pictures, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 128, .epochs = 10});
///
/// Without a form the label comes first and the row follows it. Row numbers continue from file to file.
template <class T, class S, std::integral Label>
class RecordFiles {
 public:
  using Number = T;
  using Row = S;
  using Target = Label;
  static constexpr std::size_t row_bytes = static_cast<std::size_t>(S::size) * sizeof(T);
  static constexpr RecordForm label_first{sizeof(Label) + row_bytes, 0, sizeof(Label)};

  /// Checks the files' sizes. Fails if one is missing, is not a regular file or does not hold whole records.
  explicit RecordFiles(std::vector<std::string> paths, Normalize normalize, RecordForm form = label_first)
      : form_(form), normalize_(normalize) {
    normalize.check<T>();
    if (form.label > form.size || form.size - form.label < sizeof(Label) || form.inputs > form.size ||
        form.size - form.inputs < row_bytes)
      fail(joined({"records of ", form.size, " bytes were announced with a label of ", sizeof(Label), " at byte ",
                   form.label, " and a row of ", row_bytes, " at byte ", form.inputs,
                   "; both must lie within the record"}));
    if (form.label < form.inputs + row_bytes && form.inputs < form.label + sizeof(Label))
      fail(joined({"records were announced with a label of ", sizeof(Label), " at byte ", form.label, " and a row of ",
                   row_bytes, " at byte ", form.inputs, ", which overlap; correct one of them"}));
    if (paths.empty()) fail("no files of records were given; give the paths of one or more");
    for (std::string& path : paths) {
      detail::FileStatus status;
      if (!detail::look_at(path, status)) detail::fail_to_open(path);
      if (!detail::is_regular(status))
        fail(joined({path, " is not a regular file, expected one of records; check the path"}));
      const auto bytes = static_cast<std::size_t>(status.st_size);
      if (bytes == 0 || bytes % form.size != 0) detail::fail_record_file(path, bytes, form.size);
      size_ += bytes / form.size;
      ends_.push_back(size_);
      paths_.push_back(std::move(path));
    }
  }
  explicit RecordFiles(std::vector<std::string> paths)
    requires(!needs_scale<T>)
      : RecordFiles(std::move(paths), Normalize{}) {}

  std::size_t size() const { return size_; }
  Normalize normalize() const { return normalize_; }
  const std::vector<std::string>& paths() const { return paths_; }

  /// Rows [first, first + count) of them.
  friend RecordFiles subset(RecordFiles files, std::size_t first, std::size_t count) {
    if (first > files.size_ || count > files.size_ - first)
      fail(joined(
          {count, " rows from row ", first, " of files with ", files.size_, " rows were asked for; stay within them"}));
    files.first_ += first;
    files.size_ = count;
    return files;
  }

  /// Reads records, for one thread: a handle on each file, opened when it is first needed.
  class Reader {
   public:
    explicit Reader(const RecordFiles& files)
        : files_(files), handles_(files.paths_.size()), record_(files.form_.size) {}
    /// Row `row` and its label. Fails if the file has been deleted or become shorter.
    void read(std::size_t row, T* inputs, Label& label) {
      if (row >= files_.size_)
        fail("row " + std::to_string(row) + " of " + std::to_string(files_.size_) +
             " in files was asked for; rows are numbered from 0");
      row += files_.first_;
      const auto& ends = files_.ends_;
      const auto which = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), row) - ends.begin());
      const std::size_t record = row - (which == 0 ? 0 : ends[which - 1]);
      const std::string& path = files_.paths_[which];
      auto& file = handles_[which];
      if (!file) {
        file = std::make_unique<File>(path, "rb");
        if (!*file && (errno == EMFILE || errno == ENFILE)) {  // too many open files: they are opened again when needed
          for (auto& other : handles_)
            if (&other != &file) other.reset();
          file = std::make_unique<File>(path, "rb");
        }
        if (!*file) detail::fail_to_read_record(path, record, errno);
        next_ = no_record;
      }
      std::FILE* const handle = file->handle();
      errno = 0;
      // The row after the last one read comes from the buffer.
      const bool there =
          row == next_ || detail::seek_file(handle, static_cast<std::int64_t>(record * record_.size()), SEEK_SET);
      next_ = no_record;
      if (!there || std::fread(record_.data(), 1, record_.size(), handle) != record_.size())
        detail::fail_to_read_record(path, record, std::ferror(handle) || !there ? errno : 0);
      next_ = row + 1 < ends[which] ? row + 1 : no_record;
      std::memcpy(&label, record_.data() + files_.form_.label, sizeof label);
      std::memcpy(inputs, record_.data() + files_.form_.inputs, row_bytes);
      if constexpr (detail::reverses_numbers) {
        detail::reverse_each(sizeof label, std::as_writable_bytes(std::span(&label, 1)));
        detail::reverse_each(sizeof(T), std::as_writable_bytes(std::span(inputs, std::size_t{S::size})));
      }
    }

   private:
    static constexpr std::size_t no_record = static_cast<std::size_t>(-1);
    const RecordFiles& files_;
    std::vector<std::unique_ptr<File>> handles_;
    std::vector<std::byte> record_;
    std::size_t next_ = no_record;
  };

 private:
  RecordForm form_;
  Normalize normalize_;
  std::vector<std::string> paths_;
  std::vector<std::size_t> ends_;  // the first row after each file
  std::size_t first_ = 0, size_ = 0;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::RecordFiles;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/data/record_files.ipp"
#endif
