// SPDX-License-Identifier: MIT
// labels: threads large unsanitized
// Words by an Embedding and a Conv1d, a U-shaped network, and one with two inputs, against PyTorch (tests/fixtures/README.md).
#include "support/pytorch_training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Words : Sequential<Input<9>, Embedding<7, 5, ChannelsFirst>, Conv1d<6, 3>, ReLU, AdaptiveAvgPool1d<1>, Flatten,
                          Linear<3>> {};

struct UShaped
    : Sequential<Input<2, 6, 8>, Conv2d<3, 3, Padding<1>>, PReLU<>,
                 Concat<Path<>, Path<MaxPool2d<2>, Conv2d<4, 3, Padding<1>>, ReLU, ConvTranspose2d<3, 2, Stride<2>>>>,
                 Conv2d<1, 3, Padding<1>>> {};

struct Both : Inputs<Named<"picture", Input<2, 6, 5>>, Named<"numbers", Input<4>>> {};
struct PictureAndNumbers
    : Sequential<Both,
                 Concat<Path<TakeInput<Both, "picture">, Conv2d<3, 3, Padding<1>>, ReLU, MaxPool2d<2>, Flatten>,
                        Path<TakeInput<Both, "numbers">, Linear<5>, Tanh>>,
                 Linear<7>, Tanh, Linear<3>> {};

template <class Precision, class Device>
void check(const Device& device, double most, double most_after_ten) {
  check_training_against_pytorch<Words, void, Precision>(device, CrossEntropyLoss{}, "words", most, most_after_ten);
  check_training_against_pytorch<UShaped, Shape<1, 6, 8>, Precision>(device, MSELoss{}, "u_shaped", most,
                                                                     most_after_ten);
  check_training_against_pytorch<PictureAndNumbers, void, Precision>(device, CrossEntropyLoss{}, "picture_and_numbers",
                                                                     most, most_after_ten);
}

}  // namespace

TEST_CASE("the reference in double") { check<Float64>(Reference{}, 1e-6, 1e-6); }
TEST_CASE("the host in double") { check<Float64>(Host{.threads = 2}, 1e-6, 1e-6); }
TEST_CASE("the host in float") { check<Float32>(Host{}, 1e-5, 1e-4); }
