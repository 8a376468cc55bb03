// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "measure.hpp"

/// What the C++ programs of recurrent.py share: microseconds of the processor for a sample of a stream that comes in
/// blocks, "NAME block N"; and by PROGRAM outputs ROW what it gives for a signal, to compare with others.
struct StreamRows {
  PeerRows times;
  std::map<std::string, std::function<void()>> outputs;

  /// Model(name) has push(x, y, samples); name.json, name.nam or name.safetensors is in the folder of the process.
  template <class Model>
  void add(const std::string& name, std::initializer_list<int> blocks) {
    for (const int block : blocks) {
      const std::string row = name + " block " + std::to_string(block);
      times[row] = [=](double seconds) {
        constexpr int samples = 512;
        const auto model = std::make_unique<Model>(name, block);
        std::vector<float> x(samples), y(samples);
        for (int i = 0; i < samples; ++i)
          x[static_cast<std::size_t>(i)] = 0.5f * std::sin(0.05f * static_cast<float>(i));
        const auto pass = [&] {
          for (int i = 0; i < samples; i += block) model->push(x.data() + i, y.data() + i, block);
        };
        return measure(seconds, pass, processor_seconds) / samples;
      };
      outputs[row] = [=] { print_outputs<Model>(name, block); };
    }
  }

  int run(int count, char** words, const std::string& version) const {
    if (count == 3 && std::string(words[1]) == "outputs" && outputs.count(words[2])) {
      outputs.at(words[2])();
      return 0;
    }
    return run_rows(count, words, times, version);
  }

 private:
  /// After a silence in which all have forgotten how they began.
  template <class Model>
  static void print_outputs(const std::string& name, int block) {
    constexpr int silence = 8192, samples = 512;
    const auto model = std::make_unique<Model>(name, block);
    std::vector<float> x(silence + samples), y(silence + samples);
    for (int i = 0; i < samples; ++i)
      x[static_cast<std::size_t>(silence + i)] = 0.5f * std::sin(0.05f * static_cast<float>(i));
    for (int i = 0; i < silence + samples; i += block) model->push(x.data() + i, y.data() + i, block);
    for (int i = silence; i < silence + samples; ++i)
      std::printf("%.9g\n", static_cast<double>(y[static_cast<std::size_t>(i)]));
  }
};
