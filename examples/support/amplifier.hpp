// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sinter/inference.hpp>
#include <sinter/io/pack.hpp>
#include <span>
#include <vector>

inline constexpr int block_length = 64, tap_count = 16,
                     window_length = block_length + tap_count - 1;  // samples; an output hears `tap_count` of them
inline constexpr double rate = 48000;

// [callback]
struct Amplifier : sinter::Sequential<sinter::Input<1, window_length>, sinter::Conv1d<8, tap_count>, sinter::Tanh,
                                      sinter::Conv1d<1, 1>> {};
static_assert(sinter::workspace_bytes<Amplifier, 1> < 8192 &&
              sinter::parameter_bytes<Amplifier> < 4096);  // it stays in the first cache

/// The network in a callback. All its memory is its own, and made before the first call.
class AmplifierEffect {
 public:
  explicit AmplifierEffect(const sinter::Network<Amplifier>& trained) : weights_(sinter::packed_bytes(trained)) {}
  AmplifierEffect(const AmplifierEffect&) = delete;  // its View looks at its own weights
  AmplifierEffect& operator=(const AmplifierEffect&) = delete;

  /// What the audio device calls, every 1.3 ms.
  void operator()(const float* in, float* out) noexcept {
    std::copy_n(in, block_length, samples_.begin() + tap_count - 1);
    const auto y = net_.forward(std::span<const float, window_length>(samples_), workspace_);
    std::copy(y.begin(), y.end(), out);
    std::copy(samples_.end() - (tap_count - 1), samples_.end(), samples_.begin());
  }

 private:
  std::vector<std::byte> weights_;
  sinter::View<Amplifier> net_{weights_};
  sinter::FixedWorkspace<Amplifier, 1> workspace_;
  std::array<float, window_length> samples_{};
};
// [/callback]
