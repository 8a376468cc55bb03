// SPDX-License-Identifier: MIT
// The .nam files of recurrent.py by sinter: the networks that tools/from_nam.py made of them, as streams.
#include <sinter/inference.hpp>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>

#include "LSTMLite.hpp"
#include "LSTMStandard.hpp"
#include "WaveNetFeather.hpp"
#include "WaveNetLite.hpp"
#include "WaveNetNano.hpp"
#include "WaveNetStandard.hpp"
#include "streams.hpp"

namespace {
template <class Net>
struct Model {
  std::unique_ptr<const sinter::StreamWeights<Net>> weights;
  std::unique_ptr<sinter::Stream<Net>> stream;

  Model(const std::string& name, int) {
    const auto net = std::make_unique<sinter::Network<Net>>();
    load(*net, name + ".safetensors");
    weights = std::make_unique<const sinter::StreamWeights<Net>>(*net);
    stream = std::make_unique<sinter::Stream<Net>>(*weights);
  }
  void push(const float* x, float* y, int samples) {
    const auto count = static_cast<std::size_t>(samples);
    stream->push({x, count}, {y, count});
  }
};
}  // namespace

int main(int count, char** words) {
  StreamRows rows;
  const auto blocks = {1, 32, 64, 512};
  rows.add<Model<WaveNetStandard>>("WaveNetStandard", blocks);
  rows.add<Model<WaveNetLite>>("WaveNetLite", blocks);
  rows.add<Model<WaveNetFeather>>("WaveNetFeather", blocks);
  rows.add<Model<WaveNetNano>>("WaveNetNano", blocks);
  rows.add<Model<LSTMStandard>>("LSTMStandard", blocks);
  rows.add<Model<LSTMLite>>("LSTMLite", blocks);
  return rows.run(count, words, "sinter");
}
