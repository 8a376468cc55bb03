// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

constexpr int rate = 8000;  // samples a second

/// Synthetic speech: a buzz or a hiss through two resonances, the formants, which move from sound to sound (Klatt 1980, much
/// simplified). Speakers differ in pitch, length of the vocal tract, speed and loudness.
class Speaker {
 public:
  /// Number 0 is no word. The last two are not to be spotted: they share sounds with the others.
  static constexpr std::array<const char*, 6> words{"(nothing)", "yah", "how", "see", "ha", "you"};

  explicit Speaker(unsigned seed) : random_(seed) { be_another(); }

  void be_another() {
    pitch_ = 90 + 130 * uniform();
    formant_scale_ = 0.9 + 0.25 * uniform();
    speed_ = 0.8 + 0.5 * uniform();
    loudness_ = 0.3 + 0.7 * uniform();
  }
  void add_noise(std::span<float> sound) {
    const double level = 0.005 + 0.02 * uniform();
    for (float& x : sound) x += static_cast<float>(level * noise());
  }
  /// Adds a word that ends at sample `end` of the sound, and returns its length.
  std::size_t say(int word, std::span<float> sound, std::size_t end) {
    const std::vector<Sound> sounds = sounds_of(word);
    double seconds = 0;
    for (const Sound& s : sounds) seconds += s.seconds / speed_;
    const std::size_t length = std::min(end, static_cast<std::size_t>(seconds * rate));
    double phase = 0;
    std::array<Resonance, 2> formants;
    for (std::size_t i = 0; i < length; ++i) {
      // Where in the word: formants are those of the sound, and on the way to the next.
      double at = static_cast<double>(i) / rate * speed_;
      std::size_t now = 0;
      while (now + 1 < sounds.size() && at > sounds[now].seconds) at -= sounds[now++].seconds;
      const Sound& next = sounds[std::min(now + 1, sounds.size() - 1)];
      const double way = std::clamp((at - sounds[now].seconds) / 0.05 + 1, 0.0, 1.0);
      const auto between = [&](double a, double b) { return a + way * (b - a); };

      phase += pitch_ * (1 + 0.03 * std::sin(static_cast<double>(i) / 1500)) / rate;
      double source = 0.05 * noise();
      if (phase >= 1) phase -= 1, source += 1;
      source =
          between(sounds[now].hiss, next.hiss) * 0.4 * noise() + (1 - between(sounds[now].hiss, next.hiss)) * source;
      double out = formants[0].pass(source, formant_scale_ * between(sounds[now].first, next.first), 90);
      out += 0.7 * formants[1].pass(source, formant_scale_ * between(sounds[now].second, next.second), 130);
      const double fade = std::fmin(1.0, std::fmin(static_cast<double>(i), static_cast<double>(length - i)) / 200);
      sound[end - length + i] += static_cast<float>(0.5 * loudness_ * fade * out);
    }
    return length;
  }

  double uniform() { return static_cast<double>(random_()) / 4294967296.0; }
  static bool is_keyword(int word) { return word >= 1 && word <= 3; }
  int any_word() { return static_cast<int>(below(words.size())); }
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(uniform() * static_cast<double>(end)); }

 private:
  struct Sound {
    double first, second, seconds;  // formants in Hz
    double hiss = 0;                // 1: no voice
  };
  /// A filter of two poles.
  struct Resonance {
    double before = 0, last = 0;
    double pass(double x, double frequency, double width) {
      const double radius = std::exp(-3.14159265 * width / rate);
      const double y =
          (1 - radius) * 3 * x + 2 * radius * std::cos(6.2831853 * frequency / rate) * last - radius * radius * before;
      before = last;
      return last = y;
    }
  };
  static std::vector<Sound> sounds_of(int word) {
    const Sound ah{750, 1150, 0.2}, ee{280, 2250, 0.15}, oo{310, 870, 0.2}, h{600, 1500, 0.08, 1},
        s{2500, 3400, 0.15, 1};
    switch (word) {
      case 1:
        return {ee, ah};
      case 2:
        return {h, ah, oo};
      case 3:
        return {s, ee};
      case 4:
        return {h, ah};
      case 5:
        return {ee, oo};
      default:
        return {};
    }
  }
  double noise() { return 2 * uniform() - 1; }

  std::mt19937 random_;
  double pitch_ = 0, formant_scale_ = 0, speed_ = 0, loudness_ = 0;
};
