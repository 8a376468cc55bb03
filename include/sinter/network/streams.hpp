// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/kernels/host/stream/lane_streams.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/stream_state.hpp"
#include "sinter/network/stream_weights.hpp"

SINTER_NAMESPACE_BEGIN

/// N streams of one network that advance together, such as the voices of a synthesiser or the agents of a game: each
/// has the bits of a Stream, and they share the lanes of vectors.
///
///     Streams<Voice, 16> voices(weights);   // StreamWeights<Voice>
///     voices.push(x, y);                    // a block of each
///     voices.reset(3);                      // voice 3 begins anew
///
/// For finite weights, and models in which every output follows from its moment and those before it, one for each:
/// recurrent layers, Causal attention, Causal convolutions without strides and groups, and what works on each moment by
/// itself. Positions count from the last reset of each stream. The object contains all of its memory, and only reads
/// the weights, which must outlive it. A copy continues independently. One thread at a time may use it.
template <class ModelType, int N, class Isa = isa::Native, class Distinct = detail::ModelOf<ModelType>>
class Streams {
 public:
  using Model = Distinct;

 private:
  using Checked = detail::StreamableModel<Model>;
  static_assert(sizeof(detail::CheckForStream<Model>) > 0);
  using Plan = host_kernels::LanePlan<host_kernels::StreamPlan<Checked, Isa>>;
  using Tile = host_kernels::LaneTile<Plan>;
  using InTime = Moments<Checked>;
  static constexpr int output = Program<Checked>::output_value;
  static constexpr std::size_t lanes = Plan::L, count = N > 0 ? N : 1;
  using State = StreamState<Model, static_cast<std::size_t>(Plan::state_of_stream), 0x32656e616c7274ff>;
  static_assert(N > 0, "sinter: Streams are 1 or more");
  static_assert(
      Plan::possible,
      "sinter: Streams take no strides, pools or groups, and nothing that looks ahead: use N objects of Stream");

 public:
  using Scalar = float;
  using InputRow = shape_of<InTime::dims(0)>;
  using OutputRow = shape_of<InTime::dims(output)>;
  /// Numbers of a moment.
  static constexpr int input_size = InputRow::size, output_size = OutputRow::size;
  /// Of the state of one stream.
  static constexpr std::size_t state_bytes = State::bytes;
  /// How many moments a stream takes before it is reset: see Stream.
  static constexpr std::uint64_t max_moments = InTime::max_moments;

  explicit Streams(const StreamWeights<ModelType, Isa>& weights) noexcept : weights_(&weights) { reset(); }
  explicit Streams(const StreamWeights<ModelType, Isa>&&) = delete;  // would be destroyed after this line

  /// Continues with other weights, from the same states.
  void use(const StreamWeights<ModelType, Isa>& weights) noexcept { weights_ = &weights; }
  void use(const StreamWeights<ModelType, Isa>&&) = delete;

  /// The next moments of all streams: x [N][moments][input_size], one block after another, to y [N][moments]
  /// [output_size]. Neither allocates memory nor takes a lock or throws; blocks that do not fit, or more than
  /// max_moments of a stream since its reset, end the program with a message.
  void push(std::span<const float> x, std::span<float> y) noexcept {
    constexpr std::size_t inputs = input_size, outputs = output_size;
    const std::size_t moments = x.size() / (count * inputs);
    if (x.size() != moments * count * inputs || y.size() != moments * count * outputs) refuse(x.size(), y.size());
    if constexpr (max_moments != UINT64_MAX)
      for (std::size_t i = 0; i < count; ++i)
        if (moments > max_moments - moments_[i]) refuse_moments(moments, i, moments_[i]);
    for (std::size_t first = 0; first < count; first += lanes) {
      Tile tile = tile_of(first);
      const std::size_t together = std::min(lanes, count - first);
      tile.rows = static_cast<int>(together);
      for (std::size_t j = 0; j < moments; ++j) {
        const auto row = [&](std::size_t lane) { return (first + lane) * moments + j; };
        float* const in = tile.at(Tile::value(0).begin());
        for (std::size_t lane = 0; lane < together; ++lane)
          for (std::size_t i = 0; i < inputs; ++i) in[i * lanes + lane] = x[row(lane) * inputs + i];
        tile.moment = moment_ + j;
        tile.since_begin = j;
        host_kernels::lane_stages(tile);
        const float* const out = tile.at(Tile::value(output).begin());
        for (std::size_t lane = 0; lane < together; ++lane)
          for (std::size_t i = 0; i < outputs; ++i) y[row(lane) * outputs + i] = out[i * lanes + lane];
      }
    }
    moment_ += moments;
    for (std::size_t i = 0; i < count; ++i) moments_[i] += moments;
  }
  /// The number of moments of stream i since its reset.
  std::uint64_t moments(int i) const noexcept { return moments_[checked(i, "moments")]; }

  /// Resets all streams to the state before the first moment.
  void reset() noexcept {
    for (int i = 0; i < N; ++i) reset(i);
  }
  /// Resets stream i to the state before the first moment. The others continue.
  void reset(int i) noexcept {
    const std::size_t stream = checked(i, "reset");
    moments_[stream] = 0;
    host_kernels::reset_lane(tile_of(stream / lanes * lanes), stream % lanes);
  }
  /// Whether the whole state of stream i is finite. A NaN in its input stays in recurrent cells, until reset(i).
  bool finite(int i) const noexcept {
    bool all = true;
    for_each_of_state(*this, checked(i, "finite"), [&](const float& x) { all = all && is_finite(x); });
    return all;
  }
  /// The state of stream i as bytes: to continue later, as any stream of Streams of the same model, on a machine with
  /// the same byte order.
  void save(int i, std::span<std::byte, state_bytes> to) const noexcept {
    const std::size_t stream = checked(i, "save");
    State::write_header(to, moments_[stream]);
    std::size_t n = 0;
    for_each_of_state(*this, stream, [&](const float& x) { std::memcpy(State::at(to, n++), &x, sizeof x); });
  }
  /// Stream i continues from that state. Fails, and changes nothing, unless save() of Streams of this model wrote the
  /// bytes.
  void restore(int i, std::span<const std::byte> from) {
    const std::size_t stream = checked(i, "restore");
    moments_[stream] = State::moment_of(from, max_moments);
    std::size_t n = 0;
    for_each_of_state(*this, stream, [&](float& x) { std::memcpy(&x, State::at(from, n++), sizeof x); });
  }

 private:
  static void for_each_of_state(auto& all, std::size_t i, auto visit) {
    host_kernels::for_each_of_state<Plan>(all.memory_.data() + Plan::size * (i / lanes), all.moment_, i % lanes, visit);
  }
  static std::size_t checked(int i, const char* function) {
    if (i < 0 || i >= N) refuse(i, function);
    return static_cast<std::size_t>(i);
  }
  /// The pack of streams that begins with this one.
  Tile tile_of(std::size_t first) noexcept {
    Tile tile(memory_.data() + Plan::size * (first / lanes), weights_->data());
    tile.begin = moments_.data() + first;
    return tile;
  }
  [[noreturn]] SINTER_COLD static void refuse(std::size_t numbers, std::size_t room) {
    end_program([&] {
      return "push was given " + std::to_string(numbers) + " numbers and room for " + std::to_string(room) + ", and " +
             std::to_string(N) + " streams take " + std::to_string(input_size) + " and give " +
             std::to_string(output_size) + " each at a moment; pass blocks of the same moments of all";
    });
  }
  [[noreturn]] SINTER_COLD static void refuse_moments(std::size_t given, std::size_t stream, std::uint64_t before) {
    end_program([&] {
      return "push was given " + std::to_string(given) + " moments after " + std::to_string(before) + " of stream " +
             std::to_string(stream) + ", and the positions of this model end with moment " +
             std::to_string(max_moments) + "; call reset(" + std::to_string(stream) +
             ") before the next sequence, or give the model a longer Input";
    });
  }
  [[noreturn]] SINTER_COLD static void refuse(int i, const char* function) {
    end_program([&] {
      return std::string(function) + " was given stream " + std::to_string(i) + " of " + std::to_string(N) +
             "; give it one from 0 on";
    });
  }

  const StreamWeights<ModelType, Isa>* weights_;
  std::uint64_t moment_ = 0;  // of ring buffers, in which all streams are at the same place
  static constexpr std::size_t packs = (count + lanes - 1) / lanes;
  std::array<std::uint64_t, packs * lanes> moments_{};  // of each since its reset
  alignas(64) std::array<float, packs * Plan::size> memory_{};
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Streams;
}  // namespace sinter
