// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/kernels/host/stream/stream_stages.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/stream_state.hpp"
#include "sinter/network/stream_weights.hpp"

SINTER_NAMESPACE_BEGIN

/// A network that processes its input as it arrives, moment by moment, and keeps what its layers still need: the last
/// numbers before each convolution and pool, the states of recurrent cells, the keys and values of causal attention.
/// Its outputs have the bits of `forward` over the whole sequence, however that is cut into blocks. A sequence may be
/// longer than the Input of the model, unless that has attention or positions: see max_moments.
///
///     static const StreamWeights<Effect> weights(net);   // shared by all streams of this network
///     Stream<Effect> left(weights), right(weights);
///     left.push(x, y);                                   // in an audio callback
///
/// A moment is a number of each channel of Input<Channels, Length>, the features of a step of Input<Time, Features>, or
/// one of the whole numbers that an Embedding reads. After a FinalState, each moment gives the output of forward for
/// the sequence that ends with it. The object contains all of its memory, stream_bytes<Model>, and only reads the
/// weights, which must outlive it. A copy continues independently. One thread at a time may use it.
template <class ModelType, class Isa = isa::Native, class Distinct = detail::ModelOf<ModelType>>
class Stream {
 public:
  using Model = Distinct;

 private:
  using Checked = detail::StreamableModel<Model>;
  static_assert(sizeof(detail::CheckForStream<Model>) > 0);
  using Streams = host_kernels::StreamPlan<Checked, Isa>;
  using InTime = Moments<Checked>;
  static constexpr int output = Program<Checked>::output_value;
  static constexpr std::size_t state_size = static_cast<std::size_t>(Streams::state);

  using State = StreamState<Model, state_size, 0x316d7274736973ff>;

 public:
  using Scalar = float;
  /// The shapes of the input and of the output at one moment.
  using InputRow = shape_of<InTime::dims(0)>;
  using OutputRow = shape_of<InTime::dims(output)>;
  static constexpr int input_size = InputRow::size, output_size = OutputRow::size;
  /// Output j comes with moment j period + latency of the input: period is the product of all strides, and latency is
  /// how far convolutions and pools look ahead, in samples of the input.
  static constexpr int period = Streams::timing(output).period, latency = Streams::timing(output).delay;
  static constexpr std::size_t state_bytes = State::bytes;
  /// How many moments a stream takes before the next reset(): as many as the model's sequences have where it has
  /// attention or positions, else without end (the largest number).
  static constexpr std::uint64_t max_moments = InTime::max_moments;

  explicit Stream(const StreamWeights<ModelType, Isa>& weights) : weights_(&weights) {}
  explicit Stream(const StreamWeights<ModelType, Isa>&&) = delete;  // would be destroyed after this line

  /// Continues with other weights, from the same state.
  void use(const StreamWeights<ModelType, Isa>& weights) noexcept { weights_ = &weights; }
  void use(const StreamWeights<ModelType, Isa>&&) = delete;

  /// How many rows of outputs the next `moments` give.
  std::size_t outputs(std::size_t moments) const noexcept {
    return static_cast<std::size_t>(Streams::count(output, moment_ + moments) - Streams::count(output, moment_));
  }
  /// The number of moments so far.
  std::uint64_t moments() const noexcept { return moment_; }

  /// The next x.rows moments: writes outputs(x.rows) rows to y, which has room for them, and returns their number. y
  /// may be x where a moment has as many numbers as its outputs. Neither allocates memory nor takes a lock or throws;
  /// too small a y, or more than max_moments since reset(), ends the program with a message.
  template <class T>
    requires(std::is_same_v<std::remove_const_t<T>, float>)
  std::size_t push(TensorView<T, InputRow> x, TensorView<float, OutputRow> y) noexcept {
    if constexpr (ends)
      if (x.rows > max_moments - moment_) refuse_length(x.rows);
    const std::size_t count = outputs(x.rows);
    if (y.rows < count) refuse(x.rows, count, y.rows);
    std::size_t written = 0;
    for (std::size_t first = 0; first < x.rows;) {
      const std::size_t now = std::min<std::size_t>(x.rows - first, Streams::most_moments);
      const std::uint64_t end = moment_ + now;
      for (std::size_t i = 0; i < now; ++i) copy_row(x, first + i, frame<0>(moment_ + i, end));
      host_kernels::stream_stages<Streams>(memory_.data(), weights_->data(), moment_, end);
      for (std::uint64_t j = Streams::count(output, moment_); j < Streams::count(output, end); ++j)
        take(frame<output>(j, end), y, written++);
      moment_ = end;
      first += now;
    }
    return written;
  }
  /// The same of rows that follow one another. x has a whole number of them.
  std::size_t push(std::span<const float> x, std::span<float> y) noexcept {
    if (x.size() % input_size != 0) refuse(x.size());
    return push(TensorView<const float, InputRow>{x.data(), x.size() / input_size},
                TensorView<float, OutputRow>{y.data(), y.size() / output_size});
  }

  /// As before the first moment.
  void reset() noexcept {
    memory_.fill(0);
    moment_ = 0;
  }
  /// Whether the whole state is finite. A NaN in the input stays in recurrent cells, until reset().
  bool finite() const noexcept {
    return std::all_of(memory_.begin(), memory_.begin() + state_size, [](const float& x) { return is_finite(x); });
  }
  /// The state as bytes, for a stream of the same model on a machine with the same byte order.
  void save(std::span<std::byte, state_bytes> to) const noexcept {
    State::write_header(to, moment_);
    std::memcpy(State::at(to, 0), memory_.data(), state_size * sizeof(float));
  }
  /// Continues from that state. Fails, and changes nothing, if the bytes are not the whole state of a stream of this
  /// model.
  void restore(std::span<const std::byte> from) {
    moment_ = State::moment_of(from, max_moments);
    std::memcpy(memory_.data(), State::at(from, 0), state_size * sizeof(float));
  }

 private:
  static constexpr bool ends = max_moments != UINT64_MAX;
  /// Number j of a value, where `end` moments are in the memory.
  template <int Value>
  float* frame(std::uint64_t j, std::uint64_t end) noexcept {
    return memory_.data() + host_kernels::ring_frame<Streams, Value>(static_cast<std::int64_t>(j), end);
  }
  static void take(const float* from, const TensorView<float, OutputRow>& y, std::size_t row) noexcept {
    constexpr Dims d = OutputRow::dims;
    float* const to = y.row(row);
    for (int c = 0; c < d.channels; ++c)
      for (int i = 0; i < d.height; ++i)
        for (int k = 0; k < d.width; ++k) to[c * y.channel_stride + i * y.height_stride + k * y.width_stride] = *from++;
  }
  [[noreturn]] SINTER_COLD static void refuse(std::size_t given, std::size_t rows, std::size_t room) {
    end_program([&] {
      return "push was given " + std::to_string(given) + " moments, which give " + std::to_string(rows) +
             " rows of outputs, and room for " + std::to_string(room) + "; pass as many as outputs(moments) says";
    });
  }
  [[noreturn]] SINTER_COLD void refuse_length(std::size_t given) const {
    end_program([&] {
      return "push was given " + std::to_string(given) + " moments after " + std::to_string(moment_) +
             ", and the positions of this model end with moment " + std::to_string(max_moments) +
             "; call reset() before the next sequence, or give the model a longer Input";
    });
  }
  [[noreturn]] SINTER_COLD static void refuse(std::size_t numbers) {
    end_program([&] {
      return "push was given " + std::to_string(numbers) + " numbers, and a moment has " + std::to_string(input_size) +
             "; pass whole moments";
    });
  }

  const StreamWeights<ModelType, Isa>* weights_;
  std::uint64_t moment_ = 0;
  alignas(64) std::array<float, static_cast<std::size_t>(Streams::size)> memory_{};
};

/// The bytes of a stream, without the weights that it shares with others: for static_assert.
template <class ModelType, class Model = detail::ModelOf<ModelType>>
inline constexpr std::size_t stream_bytes = sizeof(Stream<typename detail::CheckForStream<Model>::Type>);
/// How far a network looks ahead, in samples of the input: see Stream::latency.
template <class ModelType, class Model = detail::ModelOf<ModelType>>
inline constexpr int stream_latency = Stream<typename detail::CheckForStream<Model>::Type>::latency;

SINTER_NAMESPACE_END

namespace sinter {
using internal::Stream;
using internal::stream_bytes;
using internal::stream_latency;
}  // namespace sinter
