// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/network/fingerprint.hpp"
#include "sinter/ranks/communicator.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// FNV-1a by words of 8 bytes.
inline std::uint64_t hash_of(const void* bytes, std::size_t size, std::uint64_t hash = 0xcbf29ce484222325u) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (; size > 0; at += 8) {
    const std::size_t count = size < 8 ? size : 8;
    std::uint64_t word = 0;
    std::memcpy(&word, at, count);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 32;
    size -= count;
  }
  return hash;
}

/// What all ranks must have in common.
struct Fact {
  const char* what;
  bool readable;  // worth showing to the user
  std::uint64_t value;
};

/// Fails, on all ranks, where one differs from rank 0, and says in what.
template <std::size_t N>
SINTER_COLD void compare(Communicator& world, const Fact (&facts)[N]) {
  struct Values {
    std::uint64_t of[N];
  } own;
  for (std::size_t i = 0; i < N; ++i) own.of[i] = facts[i].value;
  const auto all = gather(world, own);
  std::string text;
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    std::string differs;
    for (std::size_t i = 0; i < N; ++i) {
      if (all[rank].of[i] == all[0].of[i]) continue;
      differs += (differs.empty() ? "" : "; ") + std::string(facts[i].what);
      if (facts[i].readable)
        differs += " (" + std::to_string(all[rank].of[i]) + ", not " + std::to_string(all[0].of[i]) + ")";
    }
    if (!differs.empty())
      text += (text.empty() ? "" : ". ") + ("rank " + std::to_string(rank) + " differs from rank 0 in: ") + differs;
  }
  if (!text.empty()) fail(text + ". All ranks are to use the same network on the same data with the same options");
}
/// Where ranks divide the rows of a dataset that a network forwards.
template <class Net>
void check_same_on_all(Communicator& world, const Net& net, std::size_t rows) {
  compare(world, {{"the model", false, fingerprint_of<typename Net::Model>()},
                  {"the bytes of a number", true, sizeof(typename Net::Scalar)},
                  {"the vectors of its instruction set, in numbers", true, std::uint64_t{Net::Engine::lanes}},
                  {"the rows of the data", true, rows},
                  {"the weights", false,
                   hash_of(net.data(), sizeof(typename Net::Scalar) * std::size_t{Net::Ops::storage_size})}});
}

/// Of the numbers of a batch.
template <class Ops, class Batch>
std::uint64_t hash_of_inputs(const Batch& batch) {
  std::uint64_t hash = 0;
  std::vector<double> row(static_cast<std::size_t>(Ops::input.size()));
  for (std::size_t i = 0; i < batch.rows; ++i) {
    copy_row(batch.inputs.view, batch.inputs.choice[i], row.data());
    hash = hash_of(row.data(), row.size() * sizeof(double), hash);
  }
  const double scale[] = {batch.inputs.normalize.scale, batch.inputs.normalize.shift};
  return hash_of(scale, sizeof(scale), hash);
}
template <class Ops, class Batch>
std::uint64_t hash_of_targets(const Batch& batch) {
  std::uint64_t hash = 0;
  [[maybe_unused]] std::vector<double> row(static_cast<std::size_t>(Ops::output.size()));
  for (std::size_t i = 0; i < batch.rows; ++i) {
    if constexpr (requires { batch.targets.label(i); }) {
      const std::int64_t label = batch.targets.label(i);
      hash = hash_of(&label, sizeof(label), hash);
    } else if constexpr (requires { batch.targets.copy_row(i, row.data()); }) {
      batch.targets.copy_row(i, row.data());
      hash = hash_of(row.data(), row.size() * sizeof(double), hash);
    }
    if constexpr (requires { batch.targets.weight(i); }) {
      const double weight = batch.targets.weight(i);
      hash = hash_of(&weight, sizeof(weight), hash);
    }
  }
  return hash;
}

/// How the batches of a training are compared: number by number before the batches 1, 2, 4, 8 .., and the rows of
/// every one.
class SameOnAll {
 public:
  /// Fails, on all ranks, where one differs from rank 0, and says in what.
  template <class Passes>
  void begin(Communicator& world, const Passes& passes) {
    using Plan = typename Passes::Plan;
    const auto& batch = passes.batch;
    const std::uint64_t numbers[] = {batch.rows, batch.key.seed, batch.key.step};
    const std::uint64_t order = hash_of(batch.samples, batch.rows * sizeof(*batch.samples));
    const std::uint64_t own = hash_of(numbers, sizeof(numbers), order);
    steps_.assign(static_cast<std::size_t>(world.size()), own);
    if (!std::has_single_bit(++batches_)) return;
    using Model = typename Plan::Cut::Model;
    compare(world, {{"the model", false, fingerprint_of<Model>()},
                    {"the bytes of a number", true, sizeof(typename Plan::Scalar)},
                    {"the vectors of its instruction set, in numbers", true, std::uint64_t{Plan::lanes}},
                    {"the seed", true, batch.key.seed},
                    {"the epoch or step", true, batch.key.step},
                    {"the rows of a batch", true, batch.rows},
                    {"the order of the rows, which follows from seed and size of the data", false, order},
                    {"the weights, which follow from seed, checkpoint and optimizer", false,
                     hash_of(passes.parameters, sizeof(typename Plan::Scalar) * std::size_t{Plan::Ops::storage_size})},
                    {"the inputs of the batch", false, inputs_ ? hash_of_inputs<typename Plan::Ops>(batch) : 0},
                    {"the targets of the batch", false, hash_of_targets<typename Plan::Ops>(batch)}});
  }

  /// On ranks that were at different places of a batch.
  void begin_anew() { batches_ = 0; }
  /// If each rank has only the inputs of its own rows.
  void leave_out_inputs() { inputs_ = false; }

  /// Checks that all are at the same batch, with the numbers that it sends anyway.
  void share_step(Exchange& exchange) {
    for (std::size_t rank = 0; rank < steps_.size(); ++rank) exchange.share(static_cast<int>(rank), &steps_[rank], 1);
  }
  void check_step(const Communicator&) const {
    for (std::size_t rank = 0; rank < steps_.size(); ++rank)
      if (steps_[rank] != steps_[0])
        fail("rank " + std::to_string(rank) +
             " has come to another batch than rank 0, by its rows, their order, the seed or the step; all ranks are to "
             "make the same calls with the same data");
  }

 private:
  bool inputs_ = true;  // compares them
  std::uint64_t batches_ = 0;
  std::vector<std::uint64_t> steps_;  // of each rank
};

}  // namespace detail

SINTER_NAMESPACE_END
