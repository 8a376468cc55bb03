// SPDX-License-Identifier: MIT
// Options of layers whose types nvcc must name in the code of the host.
#include "nets.hpp"

namespace nets {
struct Images : Sequential<Input<3, 8, 8>,                                                      //
                           Conv2d<8, 3, Padding<1>, NoBias>, BatchNorm2d<Momentum<0.2>>, ReLU,  // 8 x 8 x 8
                           MaxPool2d<2, Stride<1>>, AvgPool2d<Kernel<3, 2>, Padding<1>>,        // 8 x 3 x 4
                           InstanceNorm2d<Epsilon<1e-4>>, ConvTranspose2d<4, 2, Stride<2>>,     // 4 x 6 x 8
                           Flatten, Linear<16, NoBias>, BatchNorm1d<NoAffine>, ReLU, Linear<10>, LogSoftmax> {};
struct Series : Sequential<Input<2, 24>,                                           //
                           Conv1d<8, 3, Causal>, LayerNorm<NoBias>, ReLU,          // 8 x 24
                           MaxPool1d<2, Stride<1>>, AvgPool1d<3, Padding<1>>,      // 8 x 8
                           InstanceNorm1d<Epsilon<1e-4>>, GroupNorm<2, NoAffine>,  //
                           Flatten, Linear<10>, LogSoftmax> {};
}  // namespace nets

// On the host pools that do not ride have kernels of their own.
template <class Model>
bool step_on_host() {
  sinter::Network<Model> net;
  sinter::Trainer trainer{net, sinter::NLLLoss{}, sinter::SGD{.lr = 0.01}};
  const sinter::Tensor<float, typename Model::InputRow> x(2);
  const std::vector<int> labels{0, 1};
  const float loss = trainer.step(x, labels);
  return loss > 0 && loss < 100;
}

// Statistics of equal rows leave nothing of them: of Images the last bias learns, and must have become large.
bool options_learn() {
  return step_on_host<nets::Images>() && step_on_host<nets::Series>() &&
         nets::learns<nets::Images, sinter::CudaPlan::layers>(0.1) &&
         nets::learns<nets::Series, sinter::CudaPlan::pair>();
}
