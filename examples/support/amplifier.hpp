// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <sinter/inference.hpp>
#include <span>

inline constexpr int block_length = 64, tap_count = 16,
                     window_length = block_length + tap_count - 1;  // samples; an output hears `tap_count` of them
inline constexpr double rate = 48000;

// [callback]
struct Amplifier : sinter::Sequential<sinter::Input<1, window_length>, sinter::Conv1d<8, tap_count>, sinter::Tanh,
                                      sinter::Conv1d<1, 1>> {};
static_assert(sinter::stream_bytes<Amplifier> + sinter::stream_weights_bytes<Amplifier> < 8192);  // in the first cache

/// The network in a callback. All its memory is its own, and made before the first call.
class AmplifierEffect {
 public:
  explicit AmplifierEffect(const auto& trained) : weights_(trained) {
    const std::array<float, tap_count - 1> silence{};  // before the sound
    stream_.push(silence, {});
  }
  AmplifierEffect(const AmplifierEffect&) = delete;  // its stream reads its own weights
  AmplifierEffect& operator=(const AmplifierEffect&) = delete;

  /// What the audio device calls, with as many samples as it likes: at 48 kHz every 1.3 ms with 64 of them.
  void operator()(std::span<const float> in, std::span<float> out) noexcept { stream_.push(in, out); }

 private:
  sinter::StreamWeights<Amplifier> weights_;
  sinter::Stream<Amplifier> stream_{weights_};
};
// [/callback]
