// SPDX-License-Identifier: MIT
// Dense layers of up to 40 numbers, and the losses and optimizers that sinter::kernels has.
#include <cstdint>
#include <sinter/sinter.hpp>
#include <utility>
#include <vector>

using namespace sinter::internal;

namespace {
using Isa = isa::Native;
using V = Pack<float, Isa::vector_bytes / 4>;

template <int... N>
int blocks(int i, std::integer_sequence<int, N...>) {
  namespace kernels = host_kernels;
  static constexpr kernels::TileBlocks<Isa, float> many[] = {kernels::BlocksOfProduct<Isa, V, N + 1>::many...},
                                                   one[] = {kernels::BlocksOfProduct<Isa, V, N + 1>::one...};
  static constexpr kernels::ProductOfBatch<float> batch[] = {
      kernels::product_of_batch<Isa, V, N + 1, 40 - N, false>(true)...};
  return many[i].of_tiles[2] != nullptr && one[i].of_tiles[1] != nullptr && (batch[i].panel.add || batch[i].rest.add);
}
template <class Rider>
struct Net : Sequential<Input<30>, Linear<40>, Rider, Linear<20>, Rider, Linear<16>> {};
struct LogProbabilities : Sequential<Input<30>, Linear<16>, LogSoftmax> {};

template <class Model, class Optimizer, class Label = int, class Loss = CrossEntropyLoss>
float train() {
  Network<Model> net;
  const Tensor<float, Shape<30>> x(20);
  const std::vector<Label> y(20);
  Trainer trainer{net, Loss{}, Optimizer{.lr = 0.1}};
  trainer.step(x, y);
  return static_cast<float>(trainer.loss());
}
}  // namespace

int main(int argc, char**) {
  const float loss = train<Net<ReLU>, SGD>() + train<Net<Tanh>, Adam, std::uint8_t>() + train<Net<Sigmoid>, AdamW>() +
                     train<Net<GELU>, SGD>() + train<Net<SiLU>, SGD>() + train<LogProbabilities, SGD, int, NLLLoss>() +
                     train<LogProbabilities, SGD, std::uint8_t, NLLLoss>();
  return blocks(argc, std::make_integer_sequence<int, 40>{}) && loss < 1e6F ? 0 : 1;
}
