// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sinter/data/row_range.hpp"
#include "sinter/device/host.hpp"
#include "sinter/kernels/carried_numbers.hpp"
#include "sinter/kernels/host/engine.hpp"
#include "sinter/kernels/host_steps.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/ranks/batch_over_ranks.hpp"
#include "sinter/ranks/communicator.hpp"

SINTER_NAMESPACE_BEGIN

template <class Device>
struct Ranks;

namespace detail {

/// The host's engine, for a part of each batch. If a rank is lost in one, the others divide it anew and repeat it: no
/// rank has its gradient before all that are left have it, so that none makes an update that others do not make.
template <class Model, class T, class Isa>
class RanksEngine : public HostEngine<Model, T, Isa, BatchOverRanks, RanksEngine<Model, T, Isa>> {
  using Base = HostEngine<Model, T, Isa, BatchOverRanks, RanksEngine>;

 public:
  using Device = Ranks<HostFor<Isa>>;
  explicit RanksEngine(const Device& device) : Base(device, BatchOverRanks(device.world)), world_(device.world) {}

  template <class Batch, class Loss, class Sum>
  double accumulate(const T* parameters, const Batch& batch, const Loss& loss, const Sum& to) {
    return repeat(to.fraction != T(0) ? to.gradient : nullptr, [&] {
      const bool shares = recurrent && survives();
      const RowRange own =
          shares ? Base::rows_to_read(batch.rows) : RowRange{};  // first: the inputs are not compared then
      const double sum = Base::accumulate(parameters, batch, loss, to);
      if (shares && this->carried().after(0) != nullptr) share_states(own);
      return sum;
    });
  }
  template <class Batch>
  void forward_kept(const T* parameters, const Batch& batch, T* y) {
    repeat(nullptr, [&] { return Base::forward_kept(parameters, batch, y), true; });
    kept_after_ = shrinks();
  }
  /// The activations of rows that a lost rank has computed are lost, too.
  template <class Batch, class Loss, class Sum>
  double backward_kept(const T* parameters, const Batch& batch, const Loss& loss, const Sum& to) {
    if (shrinks() != kept_after_) throw RankLost();
    return Base::backward_kept(parameters, batch, loss, to);
  }

  /// Where ranks may be lost, each reads all rows: a repeated batch has others on it.
  RowRange rows_to_read(std::size_t batch) { return survives() ? RowRange{0, batch} : Base::rows_to_read(batch); }
  template <class Value>
  void gather_rows(Value* rows, std::size_t batch) {
    if (!survives()) Base::gather_rows(rows, batch);
  }

 private:
  static constexpr bool recurrent = CarriedNumbers<Program<Model>>::size > 0;
  bool survives() const { return world_ != nullptr && world_->survives(); }
  int shrinks() const { return world_ == nullptr ? 0 : world_->shrinks(); }
  /// Gives all ranks the states of all rows, with which recurrent layers begin the next batch.
  void share_states([[maybe_unused]] const RowRange& own) {
    if constexpr (recurrent) {
      constexpr std::size_t size = std::size_t{CarriedNumbers<Program<Model>>::size} * Base::lanes;
      const std::vector<RowRange> rows = gather(*world_, own);
      Exchange exchange(*world_);
      for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        const std::size_t first = rows[rank].first / Base::lanes,
                          last = (rows[rank].last + Base::lanes - 1) / Base::lanes;
        if (rows[rank].first < rows[rank].last)
          exchange.share(static_cast<int>(rank), this->carried().after(first * size), (last - first) * size);
      }
      exchange.run();
    }
  }
  /// A gradient is given if the batch adds to it.
  template <class Passes>
  auto repeat(T* gradient, Passes&& passes) {
    if (!survives()) return passes();
    const auto statistics = this->statistics();
    const auto carried = this->carried();
    const std::vector<T> sum(gradient, gradient == nullptr ? nullptr : gradient + Base::arena_size);
    const int before = shrinks();
    return world_->retry([&] {
      if (shrinks() != before) {
        this->statistics() = statistics;
        this->carried() = carried;
        std::copy(sum.begin(), sum.end(), gradient);
      }
      return passes();
    });
  }

  Communicator* world_;
  int kept_after_ = 0;
};

}  // namespace detail

SINTER_NAMESPACE_END
