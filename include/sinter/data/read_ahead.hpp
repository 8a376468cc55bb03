// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/finite.hpp"
#include "sinter/core/shuffle.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/data/check.hpp"
#include "sinter/data/record_files.hpp"
#include "sinter/data/records.hpp"
#include "sinter/data/row_range.hpp"

SINTER_NAMESPACE_BEGIN

/// An epoch of batches from RecordFiles, read by a background thread while earlier ones are trained on; batches() makes
/// it. In memory are `ahead` + 1 batches, however large the files (with an `ahead` beyond the epoch's batches, all of
/// them). With run = 1 the order is that of batches() over the same rows in memory, and of fit(). An error while
/// reading is thrown in the loop, at its batch, after all batches before it. `Trainer` says which rows of a batch are
/// read, and gets the labels of the others.
template <class Files, class Trainer>
class BatchesAhead {
  using Number = typename Files::Number;
  using Row = typename Files::Row;

 public:
  using Batch = RecordBatch<Files>;
  struct End {};
  /// Goes from batch to batch; waits where the next one has not been read yet.
  class Iterator {
   public:
    explicit Iterator(BatchesAhead& all) : all_(&all), batch_(all.next()) {}
    const Batch& operator*() const { return *batch_; }
    Iterator& operator++() {
      batch_ = all_->next();
      return *this;
    }
    bool operator==(End) const { return batch_ == nullptr; }

   private:
    BatchesAhead* all_;
    const Batch* batch_;
  };

  BatchesAhead(const Files& files, const ReadOptions& options, Trainer& trainer = detail::reads_all)
      : files_(files),
        options_(options),
        size_(rows_beside(files.size(), options.held_out)),
        runs_(size_ / std::max<std::size_t>(options.run, 1)),
        trainer_(trainer),
        permutation_(runs_, options.seed, options.epoch) {
    if (options.batch_size == 0) fail("batches was given batch_size = 0; give it 1 or more");
    if (options.run == 0) fail("batches was given run = 0; give it 1 or more");
    if (options.first > size_)
      fail(joined({"batches was given first = ", options.first, " for ", size_, " rows; stay within them"}));
    if (options.first % options.batch_size != 0 && options.first != size_)
      fail(joined({"batches was given first = ", options.first, " with batch_size = ", options.batch_size,
                   "; give it a multiple of that"}));
    const std::size_t last = size_ % options.batch_size, all = size_ / options.batch_size + (last != 0 ? 1 : 0);
    slots_.resize(std::min(options.ahead, all) + 1);
    if (size_ >= options.batch_size) own_ = trainer.rows_to_read(options.batch_size);
    if (last > 0) own_of_last_ = trainer.rows_to_read(last);
  }
  BatchesAhead(const BatchesAhead&) = delete;
  BatchesAhead& operator=(const BatchesAhead&) = delete;
  ~BatchesAhead() { stop(); }

  /// Begins to read, or begins again.
  Iterator begin() & {
    stop();
    made_ = taken_ = 0;
    stopped_ = ended_ = false;
    problem_ = nullptr;
    thread_ = std::thread([this] { read_all(); });
    return Iterator(*this);
  }
  Iterator begin() && = delete;  // sinter: the batches have a name, auto all = batches(..), or are those of a for loop
  End end() const { return {}; }

 private:
  /// Returns the previous batch, and waits for the next one; null after the last.
  const Batch* next() {
    std::unique_lock lock(mutex_);
    if (taken_ > 0) room_.notify_one();
    ++taken_;
    there_.wait(lock, [&] { return made_ >= taken_ || ended_; });
    if (made_ < taken_) {
      if (problem_) std::rethrow_exception(problem_);
      return nullptr;
    }
    Batch& batch = slots_[(taken_ - 1) % slots_.size()];
    lock.unlock();
    trainer_.gather_rows(batch.targets_.data(), batch.size());
    return &batch;
  }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    room_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  static std::size_t rows_beside(std::size_t size, const Fold& held_out) {
    if (held_out.first > size || held_out.count > size - held_out.first)
      fail(joined({"batches was asked to hold out ", held_out.count, " rows from row ", held_out.first,
                   " of files with ", size, " rows; stay within them"}));
    return size - held_out.count;
  }

  // -- by the thread that reads ---------------------------------------------------------------------------------------

  void read_all() {
#if defined(__cpp_exceptions)
    try {
      read_batches();
    } catch (...) {
      problem_ = std::current_exception();
    }
#else
    read_batches();
#endif
    const std::lock_guard lock(mutex_);
    ended_ = true;
    there_.notify_one();
  }
  void read_batches() {
    typename Files::Reader reader(files_);
    const std::size_t end = options_.drop_last ? size_ - size_ % options_.batch_size : size_;
    for (std::size_t first = options_.first, number = 0; first < end; first += options_.batch_size, ++number) {
      {
        std::unique_lock lock(mutex_);
        // The batch in use is number taken_ - 1.
        room_.wait(lock, [&] { return stopped_ || number + 1 < std::max<std::size_t>(taken_, 1) + slots_.size(); });
        if (stopped_) return;
      }
      fill(slots_[number % slots_.size()], reader, first);
      const std::lock_guard lock(mutex_);
      ++made_;
      there_.notify_one();
    }
  }
  void fill(Batch& batch, typename Files::Reader& reader, std::size_t first) {
    constexpr std::size_t n = static_cast<std::size_t>(Row::size);
    const std::size_t count = std::min(options_.batch_size, size_ - first);
    batch.rows_.resize(count);
    batch.inputs_.resize(count * n);
    batch.targets_.resize(count);
    batch.normalize_ = files_.normalize();
    for (std::size_t i = 0; i < count; ++i) batch.rows_[i] = options_.held_out.skip(place(first + i));
    const RowRange own = count == options_.batch_size ? own_ : own_of_last_;
    for (std::size_t i = own.first; i < own.last; ++i) {
      Number* const inputs = batch.inputs_.data() + i * n;
      reader.read(batch.rows_[i], inputs, batch.targets_[i]);
      if constexpr (std::is_floating_point_v<Number>) check_row(batch.rows_[i], inputs);
    }
  }
  /// The runs in a new order, and the remainder at the end.
  std::size_t place(std::size_t i) const {
    if (!options_.shuffle || i >= runs_ * options_.run) return i;
    return static_cast<std::size_t>(permutation_(i / options_.run)) * options_.run + i % options_.run;
  }
  static void check_row(std::size_t row, const Number* inputs) {
    constexpr int pixels = Row::dims.height * Row::dims.width;
    for (int k = 0; k < static_cast<int>(Row::size); ++k)
      if (!is_finite(inputs[k]))
        detail::fail_number(
            row, detail::place_text(Row::dims, k / pixels, k % pixels / Row::dims.width, k % pixels % Row::dims.width),
            "the files", static_cast<double>(inputs[k]));
  }

  const Files& files_;
  ReadOptions options_;
  std::size_t size_, runs_;  // of the rows that are not held out
  Trainer& trainer_;
  Permutation permutation_;
  RowRange own_, own_of_last_;  // that are read of a batch, and of a shorter last one
  std::vector<Batch> slots_;
  std::mutex mutex_;
  std::condition_variable there_, room_;
  std::size_t made_ = 0, taken_ = 0;  // batches read; requested
  bool stopped_ = false, ended_ = false;
  std::exception_ptr problem_;
  std::thread thread_;
};

/// The files must outlive the result.
template <Records Files>
BatchesAhead<Files> batches(const Files& files, const ReadOptions& options = {}) {
  return {files, options};
}
/// For a trainer on Ranks: each rank reads the rows of its part of a batch and their labels, and gets those of the
/// others from their ranks. The inputs of other rows hold anything. All ranks go through all batches.
///
///     for (const auto& batch : batches(files, {.batch_size = 128, .epoch = epoch}, trainer)) trainer.step(batch);
template <Records Files, class Trainer>
  requires requires(Trainer& trainer) { trainer.rows_to_read(std::size_t{}); }
BatchesAhead<Files, Trainer> batches(const Files& files, const ReadOptions& options, Trainer& trainer) {
  return {files, options, trainer};
}
/// For temporaries: refused with a message.
template <Records Files, class... Trainers>
void batches(const Files&&, const ReadOptions& = {}, Trainers&...) {
  static_assert(std::is_void_v<Files>,
                "sinter: batches() only views record files, and a temporary would be gone; give it a name first");
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::batches;
}  // namespace sinter
