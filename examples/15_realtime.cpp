// SPDX-License-Identifier: MIT
// A network in the callback of an audio device: it learns the sound of an overdriven amplifier, and then processes it as a
// stream, block by block, without allocations, locks or system calls, as a real-time thread requires. tests/examples/realtime.cpp checks that.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

#include "support/amplifier.hpp"
#include "support/arguments.hpp"

#include <sinter/sinter.hpp>

using namespace sinter;

/// A plucked string: it sounds anew four times a second, at another pitch.
std::vector<float> string_sound(std::size_t count, int melody) {
  std::vector<float> samples(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t note = i / 12000;
    const double seconds = static_cast<double>(i % 12000) / rate;
    const double pitch =
        110 * std::pow(2.0, static_cast<double>((7 * note + static_cast<std::size_t>(melody)) % 12) / 12);
    double sum = 0;
    for (int k = 1; k <= 6; ++k) sum += std::sin(6.28318 * pitch * k * seconds) * std::exp(-4 * k * seconds) / k;
    samples[i] = static_cast<float>(0.6 * sum);
  }
  return samples;
}
/// The amplifier to be learned: a filter, and a valve that is driven too far.
std::vector<float> amplified(const std::vector<float>& in) {
  std::vector<float> out(in.size());
  double low = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    low += 0.4 * (static_cast<double>(in[i]) - low);
    out[i] = static_cast<float>(0.7 * std::tanh(3 * low + 0.3) - 0.2);
  }
  return out;
}

Network<Amplifier> trained_amplifier(int epochs) {
  const auto sound = string_sound(96000, 0), wanted = amplified(sound);
  const std::size_t rows = (sound.size() - window_length) / block_length;
  Tensor<float, Shape<1, window_length>> x(rows);
  Tensor<float, Shape<1, block_length>> y(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    std::copy_n(sound.data() + row * block_length, window_length, x.data() + row * window_length);
    std::copy_n(wanted.data() + row * block_length + tap_count - 1, block_length, y.data() + row * block_length);
  }
  Network<Amplifier> net{{.seed = 1}};
  fit(net, dataset(x, y), MSELoss{}, Adam{.lr = 0.005}, {.batch_size = 16, .epochs = epochs});
  return net;
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const int epochs = arguments.get("--epochs", 40, 1, "times through two seconds of sound");
  const double seconds = arguments.get("--seconds", 10.0, 0.1, "of sound to play");
  arguments.finish();

  AmplifierEffect effect(trained_amplifier(epochs));
  const std::size_t blocks = static_cast<std::size_t>(seconds * rate / block_length);
  const auto sound = string_sound(blocks * block_length, 5), wanted = amplified(sound);
  std::vector<float> heard(sound.size());
  double longest = 0, all = 0;
  std::thread device([&] {  // plays as fast as it can
    for (std::size_t i = 0; i < blocks; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      effect({sound.data() + i * block_length, block_length}, {heard.data() + i * block_length, block_length});
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      longest = std::max(longest, took.count()), all += took.count();
    }
  });
  device.join();

  double error = 0, power = 0;
  for (std::size_t i = 0; i < heard.size(); ++i) {
    error += std::pow(static_cast<double>(heard[i] - wanted[i]), 2);
    power += std::pow(static_cast<double>(wanted[i]), 2);
  }
  std::printf("%zu blocks of %d samples: %.2f us each, %.3f %% of the time there is; the longest %.1f us\n", blocks,
              block_length, 1e6 * all / static_cast<double>(blocks), 100 * all / seconds, 1e6 * longest);
  std::printf("error to signal: %.1f dB\n", 10 * std::log10(error / power));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
