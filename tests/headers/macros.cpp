// SPDX-License-Identifier: MIT
// What users compile that have names of ours as macros, from before the headers or, with MACROS_AFTER, from after them.
#if !defined(MACROS_AFTER)
#include "support/macros_of_others.hpp"
#endif
#include "sinter/inference.hpp"
#include "sinter/io.hpp"
#include "sinter/sinter.hpp"
#if defined(MACROS_AFTER)
#include "support/macros_of_others.hpp"
#endif

namespace {

struct Net : sinter::Sequential<sinter::Input<2>, sinter::Linear<8>, sinter::BatchNorm1d<>, sinter::ReLU,
                                sinter::Residual<sinter::Path<sinter::Linear<8>, sinter::Tanh>>, sinter::Dropout<0.1>,
                                sinter::Linear<2>> {};
struct Image : sinter::Sequential<sinter::Input<1, 8, 8>, sinter::Conv2d<4, 3, sinter::Padding<1>>, sinter::GELU,
                                  sinter::MaxPool2d<2>, sinter::Flatten, sinter::Linear<2>> {};

}  // namespace

int main() {
  const auto points = sinter::disc(100, 1);
  sinter::Network<Net> net;
  sinter::fit(net, points, sinter::CrossEntropyLoss{}, sinter::Adam{.lr = 0.01}, {.epochs = 2, .validation = &points});
  std::printf("%g\n", sinter::evaluate(net, points, sinter::CrossEntropyLoss{}).accuracy);

  sinter::Network<Image> image;
  const sinter::Tensor<float, sinter::Shape<1, 8, 8>> x(10);
  const std::vector<int> labels(10);
  sinter::Trainer trainer{image, sinter::CrossEntropyLoss{}, sinter::SGD{.lr = 0.1}};
  trainer.accumulate(x, labels);
  trainer.update();
  sinter::load(image, sinter::save_bytes(image));

  static sinter::FixedWorkspace<Image, 1> workspace;
  const float one[64]{};
  const auto packed = sinter::packed_bytes(image);
  const sinter::View<Image> view(packed);
  std::printf("%g\n", static_cast<double>(view.forward(std::span<const float, 64>(one), workspace)[0]));
}
