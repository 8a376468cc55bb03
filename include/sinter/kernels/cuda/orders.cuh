// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/kernels/cuda/buffer.cuh"
#include "sinter/kernels/cuda/launch_phases.cuh"
#include "sinter/kernels/gpu/batch.hpp"
#include "sinter/kernels/gpu/order.hpp"
#include "sinter/kernels/steps.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The orders of epochs in device memory. Each is computed once on the device, also if many calls take parts of an
/// epoch, or many networks have the same.
class Orders {
 public:
  /// The most row numbers that a call should request: 256 MB.
  static constexpr std::size_t most_numbers = std::size_t{1} << 26;

  explicit Orders(const Cuda& device) : device_(device), rows_(device), asked_(device), pieces_(device) {}

  /// Consecutive epochs. An order is valid until the next call.
  struct Epochs {
    EpochOrder first;
    std::size_t size, count;  // rows of one; how many
  };

  /// The arguments of kernels, [count] for each of them.
  std::vector<Epoch> of(const std::vector<Epochs>& wanted) {
    std::vector<Order> all;
    for (const Epochs& e : wanted)
      for (std::size_t i = 0; i < e.count; ++i) {
        EpochOrder order = e.first;
        order.epoch += static_cast<std::uint32_t>(i);
        all.push_back({order, e.size});
      }
    make(all);
    std::vector<Epoch> epochs;
    for (const Order& o : all) epochs.push_back({o.rows, {o.order.seed, o.order.epoch}, o.order.held_out});
    return epochs;
  }

 private:
  struct Order {
    EpochOrder order;
    std::size_t size = 0;
    std::uint32_t* rows = nullptr;
    bool wanted = false;

    /// Else rows are read as they are stored.
    bool is_written() const { return order.shuffle || order.chunks > 1; }
    bool is(const Order& other) const { return order == other.order && size == other.size; }
  };

  /// Each order that is written has a slot of the memory. Existing orders stay; new ones take unused slots.
  void make(std::vector<Order>& wanted) {
    std::size_t count = 0, largest = 0;
    for (const Order& order : wanted) {
      if (!order.is_written()) continue;
      ++count;
      largest = std::max(largest, order.size);
    }
    if (count > slots_.size() || largest > slot_size_) {
      // One more than one: a call may begin in one epoch and end in the next.
      slots_.assign(std::max(count, std::size_t{2}), {});
      slot_size_ = largest;
      std::uint32_t* to = rows_.reserve<std::uint32_t>(slots_.size() * slot_size_);
      for (std::size_t s = 0; s < slots_.size(); ++s) slots_[s].rows = to + s * slot_size_;
    }
    for (Order& slot : slots_) slot.wanted = false;
    auto next = slots_.begin();
    for (Order& order : wanted)
      if (order.is_written()) find(order, next);
    add_missing(wanted);
  }
  /// Usually the one after the last that was found.
  void find(Order& order, std::vector<Order>::iterator& next) {
    const auto is_it = [&](const Order& slot) { return slot.size > 0 && slot.is(order); };
    auto it = std::find_if(next, slots_.end(), is_it);
    if (it == slots_.end()) {
      it = std::find_if(slots_.begin(), next, is_it);
      if (it == next) return;
    }
    it->wanted = true;
    order.rows = it->rows;
    next = it + 1;
  }
  void add_missing(std::vector<Order>& wanted) {
    std::vector<OrderOfRows> orders;
    std::vector<PieceOfOrder> pieces;
    auto slot = slots_.begin();
    for (Order& order : wanted) {
      if (!order.is_written() || order.rows != nullptr) continue;
      slot = std::find_if(slot, slots_.end(), [](const Order& s) { return !s.wanted; });
      order.rows = slot->rows;
      *slot = order;
      slot->wanted = true;
      for (std::size_t first = 0; first < order.size; first += MakeOrders::piece)
        pieces.push_back({static_cast<std::uint32_t>(orders.size()), static_cast<std::uint32_t>(first),
                          static_cast<std::uint32_t>(std::min(MakeOrders::piece, order.size - first))});
      const EpochOrder& o = order.order;
      orders.push_back({order.rows, Permutation(order.size / o.chunks, o.seed, o.epoch), o.held_out, o.shuffle,
                        static_cast<std::uint32_t>(o.chunks), static_cast<std::uint32_t>(o.sequences)});
    }
    if (orders.empty()) return;
    launch<MakeOrders>(device_,
                       {asked_.upload(orders.data(), orders.size()), pieces_.upload(pieces.data(), pieces.size())},
                       static_cast<int>(pieces.size()));
  }

  Cuda device_;
  Buffer rows_, asked_, pieces_;
  std::vector<Order> slots_;
  std::size_t slot_size_ = 0;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
