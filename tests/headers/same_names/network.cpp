// SPDX-License-Identifier: MIT
// One of several files of a program, each of which has a `struct Net` of its own, and a layer and a functor of the same
// names: SINTER_FILE is the number of the file. What it computes does not depend on the other files.
#include <cstdio>
#include <memory>
#include <string>

#include "sinter/function.hpp"
#include "sinter/inference.hpp"
#include "sinter/int8.hpp"
#include "sinter/io.hpp"
#include "sinter/sinter.hpp"
#include "sinter/train/check_gradient.hpp"

using namespace sinter;

template <int Factor>
struct GainFunction {
  static constexpr const char* name = "Gain";
  static constexpr bool backward_reads_output = false;
  static constexpr double options[] = {Factor};
  template <class V>
  SINTER_FN static V forward(V x) {
    return x * V(Factor);
  }
  template <class V>
  SINTER_FN static V backward(V, V dy) {
    return dy * V(Factor);
  }
};

template <class, int Exponent>
struct PowerFunction {  // whose arguments are in no hash
  static constexpr bool backward_reads_output = false;
  template <class V>
  SINTER_FN static V forward(V x) {
    return Exponent == 1 ? x : Exponent == 2 ? x * x : x * x * x;
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    return dy * (Exponent == 1 ? V(1) : Exponent == 2 ? x + x : V(3) * x * x);
  }
};

template <class Inner, int Factor>
struct ScaledFunction {  // whose type argument is no number that could be listed
  static constexpr bool backward_reads_output = false;
  static constexpr double options[] = {Factor};
  template <class V>
  SINTER_FN static V forward(V x) {
    return Inner::forward(x * V(Factor));
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    return Inner::backward(x * V(Factor), dy) * V(Factor);
  }
};
template <int Steps>
struct Crop {  // other steps in each file
  static constexpr const char* name = "Crop";
  using Needs = needs::any_shape;
  using Ops = OpList<ops::MapIndices<Crop>>;
  static constexpr bool accepts(Dims in) { return in.width > Steps; }
  static constexpr ops::IndexMap indices(Dims in) {
    ops::IndexMap map = ops::unchanged(in);
    map.factor[2].begin = SINTER_FILE;
    map.factor[2].out -= Steps;
    return map;
  }
};

#if SINTER_FILE == 1
using Inner = fn::Silu;
struct Block : Residual<Path<Conv1d<4, 1>, ReLU>> {};
struct Net
    : Sequential<Input<1, 12>, Conv1d<4, 3, Causal>, ReLU, Block, Activation<GainFunction<SINTER_FILE>>, Conv1d<1, 1>> {
};
#elif SINTER_FILE == 2  // another Block, in a Net of the same words
using Inner = fn::Softplus<1.0, 20.0>;
struct Block : Residual<Path<Conv1d<8, 1>, Hardtanh<>, Conv1d<4, 1>>> {};
struct Net
    : Sequential<Input<1, 12>, Conv1d<4, 3, Causal>, ReLU, Block, Activation<GainFunction<SINTER_FILE>>, Conv1d<1, 1>> {
};
#else                   // only a number in an option differs
using Inner = fn::Hardswish;
struct Block : Residual<Path<Conv1d<4, 1>, ReLU>> {};
struct Net : Sequential<Input<1, 12>, Conv1d<4, 3, Causal, Dilation<2>>, ReLU, Block,
                        Activation<GainFunction<SINTER_FILE>>, Conv1d<1, 1>> {};
#endif
struct Powers : Sequential<Input<1, 12>, Conv1d<2, 1>, Activation<PowerFunction<float, SINTER_FILE>>, Conv1d<1, 1>> {};
struct Scaled : Sequential<Input<1, 12>, Conv1d<2, 1>, Activation<ScaledFunction<Inner, 2>>, Conv1d<1, 1>> {};
struct Cropped : Sequential<Input<1, 12>, Crop<3>, Conv1d<2, 1>, Flatten, Linear<1>> {};
struct Both : Inputs<Named<SINTER_FILE == 1 ? "u" : "w", Input<SINTER_FILE>>, Named<"v", Input<12 - SINTER_FILE>>> {};
struct Pair : Sequential<Both, Concat<Path<TakeInput<Both, 0>, Linear<2>>, Path<TakeInput<Both, "v">, Linear<2>>>> {};
struct Integers : Sequential<Input<1, 12>, Conv1d<4, 3>, ReLU, Block, Conv1d<1, 1>> {};

template <int File>
std::string answers();

template <>
std::string answers<SINTER_FILE>() {
  using Rows = Tensor<float, Shape<1, 12>>;
  std::string all;
  const auto note = [&](const char* what, double number) {
    char line[64];
    std::snprintf(line, sizeof line, "%s %.9g\n", what, number);
    all += line;
  };
  Rows x(9), target(9);
  for (std::size_t row = 0; row < 9; ++row)
    for (int i = 0; i < 12; ++i) x(row, 0, i) = static_cast<float>((row * 12 + static_cast<std::size_t>(i)) % 7) / 7;

  Network<Net> net{{.seed = 1}};
  note("predict", predict(net, x)(8, 0, 11));
  note("powers", predict(Network<Powers>{{.seed = 5}}, x)(8, 0, 11));
  note("scaled", predict(Network<Scaled>{{.seed = 6}}, x)(8, 0, 11));
  const Tensor<float, Shape<1>> zeros(9);
  Network<Cropped> cropped{{.seed = 7}};
  fit(cropped, dataset(x, zeros), MSELoss{}, SGD{.lr = 0.1}, {.batch_size = 4, .epochs = 2});
  note("cropped", predict(cropped, x)(8, 0));
  note("cropped row", predict(cropped, x.view().slice(8, 1))(0, 0));
  note("gradient", check_gradient<Cropped>().difference);
  const Tensor<float, Shape<12>> rows{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  const Network<Pair> pair{{.seed = 8}};
  note("pair", predict(pair, rows)(0, 3));
  note("input", input_of<Pair, "v">(rows)(0, 0));
  all += describe(pair, 1);
  all += summary<Net>();
  note("bytes", static_cast<double>(parameter_bytes<Net>));
  fit(net, dataset(x, target), MSELoss{}, Adam{}, {.batch_size = 4, .epochs = 2});
  note("trained", net.parameters().back().value[0]);
  note("loss", evaluate(net, dataset(x, target), MSELoss{}).loss);
  note("gradient", check_gradient<Net>().difference);

  const auto packed = packed_bytes(net);
  const auto weights = std::make_unique<Unpacked<Net>>(std::span<const std::byte>(packed));
  const View<Net> view(*weights);
  const auto memory = std::make_unique<FixedWorkspace<Net, 9>>();
  note("view", view.forward(x.view(), *memory)(0, 0, 11));
  return all;
}

template <int File>
std::string more_answers();

template <>
std::string more_answers<SINTER_FILE>() {
  using Rows = Tensor<float, Shape<1, 12>>;
  char line[64];
  Rows x(9);
  for (std::size_t row = 0; row < 9; ++row) x(row, 0, static_cast<int>(row)) = 1;
  Network<Net> net{{.seed = 2}};
  const StreamWeights<Net> weights(net);
  Stream<Net> stream(weights);
  float moments[12], outputs[12];
  for (int i = 0; i < 12; ++i) moments[i] = static_cast<float>(i) / 12;
  stream.push(moments, outputs);
  std::snprintf(line, sizeof line, "stream %.9g\n", static_cast<double>(outputs[11]));
  std::string all = line;

  Ensemble<Net> nets(2, {.seed = 3});
  fit(nets, dataset(x, x), MSELoss{}, SGD{.lr = 0.01}, {.batch_size = 4, .epochs = 1});
  std::snprintf(line, sizeof line, "ensemble %.9g\n", static_cast<double>(nets[1].parameters().front().value[0]));
  all += line;

  const auto f = net.function();
  std::snprintf(line, sizeof line, "function %.9g\n", static_cast<double>(f(x.view().row(3)).values[11]));
  all += line;

  const auto integers = quantize(Network<Integers>{{.seed = 4}}, x);
  auto workspace = integers.workspace(9);
  std::snprintf(line, sizeof line, "int8 %.9g\n", static_cast<double>(integers.forward(x, workspace)(0, 0, 9)));
  return all + line;
}
