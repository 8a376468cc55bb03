// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "sinter/network/network.hpp"
#include "sinter/serve/askable.hpp"
#include "sinter/serve/batch_queue.hpp"
#include "sinter/serve/batcher_options.hpp"
#include "sinter/serve/batcher_statistics.hpp"
#include "sinter/serve/replacement.hpp"

SINTER_NAMESPACE_BEGIN

/// Answers requests from any number of threads in batches, by one network on any device. A batch leaves when it is full
/// or its oldest request has waited `max_delay`. A row's answer has the same bits alone and in any batch.
///
///     Batcher batcher(net, {.workers = 2, .max_batch = 64});
///     std::future<Tensor<float, Shape<10>>> y = batcher.async(x);
template <class Net>
class Batcher : public detail::Askable<Batcher<Net>, Net> {
  using Base = detail::Askable<Batcher, Net>;

 public:
  using typename Base::InputRow, typename Base::OutputRow, typename Base::Rows, typename Base::Scalar;

  explicit Batcher(Net net, const BatcherOptions& options = {})
      : device_(present(net).device()),
        current_(worker_count(options), std::make_shared<const Net>(std::move(net))),
        replacements_(current_.size()),
        queue_(InputRow::size, OutputRow::size, options, [this](std::size_t worker) { return computing(worker); }) {}
  template <class = void>
  Batcher(const Net&, ...) = delete;  // sinter: options are workers, max_batch, max_delay, max_waiting, normalize
  /// As stop().
  ~Batcher() = default;

  /// This network answers later requests and batches that have not begun; no request is answered by two. Workers switch
  /// between batches, without a lock.
  void replace(Net net) {
    (void)present(net);
    if constexpr (!Net::on_host) {  // where the workspaces are
      Net on_device(device_);
      on_device.from_host(net.to_host());
      net = std::move(on_device);
    }
    const auto shared = std::make_shared<const Net>(std::move(net));
    const std::lock_guard lock(replacing_);  // of two replacements all workers have the same one
    for (auto& replacement : replacements_) replacement.give(shared);
  }
  /// Refuses new requests, answers those that wait, and returns when all are answered. Fails if it is called from an
  /// answer.
  void stop() { queue_.stop(); }
  BatcherStatistics statistics() const { return queue_.statistics(); }
  const BatcherOptions& options() const { return queue_.options(); }

 private:
  friend Base;
  using Shared = std::shared_ptr<const Net>;

  auto& queue() { return queue_; }
  /// Fails if it was moved from: the workers could not report that.
  static const Net& present(const Net& net) {
    if constexpr (Net::on_host) (void)net.to_host();
    return net;
  }
  static std::size_t worker_count(const BatcherOptions& options) {
    options.check();
    return static_cast<std::size_t>(options.workers);
  }
  /// The function that worker `index` calls. A worker that has failed gets a new workspace, and keeps its network.
  auto computing(std::size_t index) {
    struct Computing {
      Shared net;
      typename Net::Workspace workspace;
    };
    const std::size_t rows = queue_.options().max_batch;
    auto state = std::make_shared<Computing>(Computing{current_[index], current_[index]->workspace(rows)});
    return [this, index, state](const Scalar* x, std::size_t row_count, Scalar* y) {
      if (replacements_[index].take(current_[index])) state->net = current_[index];
      const auto outputs = state->net->forward(Rows{x, row_count}, state->workspace, queue_.options().normalize);
      std::copy_n(outputs.data, row_count * OutputRow::size, y);
    };
  }

  typename Net::Device device_;
  std::vector<Shared> current_;  // the network of each worker, which it alone reads and writes
  std::vector<detail::Replacement<const Net>> replacements_;  // for each worker
  std::mutex replacing_;
  detail::BatchQueue<Scalar> queue_;  // last: its threads use the others
};
template <class Net>
Batcher(Net, ...) -> Batcher<Net>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::Batcher;
}  // namespace sinter
