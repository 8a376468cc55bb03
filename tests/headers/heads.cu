// SPDX-License-Identifier: MIT
// Several outputs, and weights in several places: what nvcc makes of their types.
#include "nets.hpp"

namespace nets {
struct Twice : Shared<Linear<7>, Tanh> {};
struct Several : Sequential<Input<7>, Twice, Twice,
                            Heads<Path<Linear<4>>, Named<"place", Path<Linear<5>, Tanh, Linear<2>>>,
                                  Path<Linear<3>, LogSoftmax>, Named<"steps", Path<Linear<6>, Reshape<2, 3>>>>> {};

bool several_learn() {
  const auto loss = head_losses<Several>(CrossEntropyLoss{}, 0.5 * HuberLoss{}, 2 * NLLLoss{},
                                         at_each_pixel<Several, "steps">(CrossEntropyLoss{}));
  const Tensor<float, Shape<7>> x(std::vector<float>(40 * 7, 0.01f));
  const Tensor<float, Shape<7>> wanted(std::vector<float>(40 * 7));  // class 0, two numbers, class 0, of steps 0 0 0
  const auto data = dataset(x, wanted);
  Network<Several, CudaWith<CudaPlan::pair>> net{{.seed = 5}};
  const auto history = fit(net, data, loss, SGD{.lr = 0.1}, {.batch_size = 16, .epochs = 20});
  const auto each = evaluate_heads(net, data, loss);
  const auto outputs = predict(net, x);
  return history.epochs.back().train_loss < history.epochs.front().train_loss && each[0].accuracy == 1 &&
         each[2].accuracy == 1 && each[3].accuracy == 1 && head<Several, "place">(outputs).rows == 40;
}
}  // namespace nets

bool heads_learn() { return nets::several_learn(); }
