// SPDX-License-Identifier: MIT
// The .nam files of recurrent.py by NeuralAmpModelerCore, as its plugin runs them: a block at a time, in float here,
// with exact functions or, if compiled with FAST_TANH, with its approximations.
#include <NAM/activations.h>
#include <NAM/get_dsp.h>

#include <memory>
#include <string>

#include "streams.hpp"

namespace {
struct Model {
  std::unique_ptr<nam::DSP> net;

  Model(const std::string& name, int block) {
#ifdef FAST_TANH
    nam::activations::Activation::enable_fast_tanh();
#endif
    net = nam::get_dsp(std::filesystem::path(name + ".nam"));
    net->Reset(48000, block);
  }
  void push(float* x, float* y, int samples) { net->process(&x, &y, samples); }
};
}  // namespace

int main(int count, char** words) {
  StreamRows rows;
  for (const char* name :
       {"WaveNetStandard", "WaveNetLite", "WaveNetFeather", "WaveNetNano", "LSTMStandard", "LSTMLite"})
    rows.add<Model>(name, {1, 32, 64, 512});
  return rows.run(count, words, "NeuralAmpModelerCore");
}
