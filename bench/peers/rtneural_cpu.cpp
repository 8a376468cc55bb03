// SPDX-License-Identifier: MIT
// The recurrent cells of recurrent.py by RTNeural, compiled with one of its backends, and its .nam files: WaveNets by
// RTNeural-NAM, LSTMs by RTNeural's layers. With FAST_TANH, its functions are the approximations of math_approx.
#include <fstream>
#include <map>
#include <string>
#include <vector>

#ifdef FAST_TANH
#include <xsimd/xsimd.hpp>
// After xsimd, which it extends.
#include <math_approx/math_approx.hpp>
#endif

#include <RTNeural/RTNeural.h>
#if RTNEURAL_USE_EIGEN || RTNEURAL_USE_XSIMD
#include <wavenet/wavenet_model.hpp>
#endif

#include "streams.hpp"

namespace {
#ifdef FAST_TANH
struct Maths {
  template <class T>
  static T tanh(const T& x) {
    return math_approx::tanh<3>(x);
  }
  template <class T>
  static T sigmoid(const T& x) {
    return math_approx::sigmoid<3>(x);
  }
};
#else
using Maths = RTNeural::DefaultMathsProvider;
#endif
constexpr auto as_is = RTNeural::SampleRateCorrectionMode::None;
template <int In, int Hidden>
using Gru = RTNeural::GRULayerT<float, In, Hidden, as_is, Maths>;
template <int In, int Hidden>
using Lstm = RTNeural::LSTMLayerT<float, In, Hidden, as_is, Maths>;

nlohmann::json read(const std::string& path) {
  nlohmann::json json;
  std::ifstream(path) >> json;
  return json;
}

template <class Net>
void push_each(Net& net, const float* x, float* y, int samples) {
  for (int i = 0; i < samples; ++i) {
    alignas(RTNEURAL_DEFAULT_ALIGNMENT) const float in[1]{x[i]};
    y[i] = net.forward(in);
  }
}

/// A cell and the sum of its outputs, from the tensors that PyTorch would write.
template <template <int, int> class Cell, int Hidden>
struct Memory {
  RTNeural::ModelT<float, 1, 1, Cell<1, Hidden>, RTNeural::DenseT<float, Hidden, 1>> net;

  Memory(const std::string& name, int) {
    const nlohmann::json tensors = read(name + ".json");
    if constexpr (std::is_same_v<Cell<1, Hidden>, Gru<1, Hidden>>)
      RTNeural::torch_helpers::loadGRU<float>(tensors, "0.", net.template get<0>());
    else
      RTNeural::torch_helpers::loadLSTM<float>(tensors, "0.", net.template get<0>());
    RTNeural::torch_helpers::loadDense<float>(tensors, "1.", net.template get<1>());
    net.reset();
  }
  void push(const float* x, float* y, int samples) { push_each(net, x, y, samples); }
};

/// Takes the numbers of a .nam file one after another.
struct Weights {
  std::vector<float> all;
  std::size_t taken = 0;

  std::vector<float> row(int count) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(taken);
    taken += static_cast<std::size_t>(count);
    return {begin, begin + count};
  }
  std::vector<std::vector<float>> rows(int count, int columns) {
    std::vector<std::vector<float>> made;
    for (int i = 0; i < count; ++i) made.push_back(row(columns));
    return made;
  }
};
template <int In, int Hidden>
void take(Weights& weights, Lstm<In, Hidden>& cell) {
  std::vector<std::vector<float>> w(In), u(Hidden);
  for (const auto& row : weights.rows(4 * Hidden, In + Hidden))
    for (int j = 0; j < In + Hidden; ++j)
      (j < In ? w[static_cast<std::size_t>(j)] : u[static_cast<std::size_t>(j - In)])
          .push_back(row[static_cast<std::size_t>(j)]);
  cell.setWVals(w);
  cell.setUVals(u);
  cell.setBVals(weights.row(4 * Hidden));
  weights.row(2 * Hidden);  // the state before the first sample
}

template <int Hidden, class... Cells>
struct NamLstm {
  RTNeural::ModelT<float, 1, 1, Cells..., RTNeural::DenseT<float, Hidden, 1>> net;

  NamLstm(const std::string& name, int) {
    Weights weights{read(name + ".nam")["weights"]};
    take(weights, net.template get<0>());
    if constexpr (sizeof...(Cells) == 2) take(weights, net.template get<1>());
    net.template get<sizeof...(Cells)>().setWeights(weights.rows(1, Hidden));
    net.template get<sizeof...(Cells)>().setBias(weights.row(1).data());
    net.reset();
  }
  void push(const float* x, float* y, int samples) { push_each(net, x, y, samples); }
};

#if RTNEURAL_USE_EIGEN || RTNEURAL_USE_XSIMD
using Early = wavenet::Dilations<1, 2, 4, 8, 16, 32, 64>;
using Late = wavenet::Dilations<128, 256, 512, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512>;
using Whole = wavenet::Dilations<1, 2, 4, 8, 16, 32, 64, 128, 256, 512>;
template <int Channels, class First, class Second>
struct WaveNet {
  wavenet::Wavenet_Model<float, 1, wavenet::Layer_Array<float, 1, 1, Channels / 2, Channels, 3, First, false, Maths>,
                         wavenet::Layer_Array<float, Channels, 1, 1, Channels / 2, 3, Second, true, Maths>>
      net;

  WaveNet(const std::string& name, int block) {
    net.load_weights(read(name + ".nam"));
    net.prepare(block);
    net.prewarm();
  }
  void push(const float* x, float* y, int samples) {
    if (samples == 1)
      *y = net.forward(*x);
    else
      net.forward(x, y, samples);
  }
};
#endif
}  // namespace

int main(int count, char** words) {
  StreamRows rows;
  rows.add<Memory<Gru, 8>>("GRU8", {1});
  rows.add<Memory<Gru, 32>>("GRU32", {1});
  rows.add<Memory<Gru, 64>>("GRU64", {1});
  rows.add<Memory<Gru, 256>>("GRU256", {1});
  rows.add<Memory<Lstm, 8>>("LSTM8", {1});
  rows.add<Memory<Lstm, 32>>("LSTM32", {1});
  rows.add<Memory<Lstm, 64>>("LSTM64", {1});
  rows.add<Memory<Lstm, 256>>("LSTM256", {1});
  const auto blocks = {1, 32, 64, 512};
  rows.add<NamLstm<24, Lstm<1, 24>>>("LSTMStandard", blocks);
  rows.add<NamLstm<8, Lstm<1, 8>, Lstm<8, 8>>>("LSTMLite", blocks);
#if RTNEURAL_USE_EIGEN || RTNEURAL_USE_XSIMD
  rows.add<WaveNet<16, Whole, Whole>>("WaveNetStandard", blocks);
  rows.add<WaveNet<12, Early, Late>>("WaveNetLite", blocks);
  rows.add<WaveNet<8, Early, Late>>("WaveNetFeather", blocks);
  rows.add<WaveNet<4, Early, Late>>("WaveNetNano", blocks);
#endif
  return rows.run(count, words, "RTNeural");
}
