// SPDX-License-Identifier: MIT
// labels: threads large unsanitized
// Networks whose layers occur in several places against PyTorch (tests/fixtures/README.md).
#include "support/pytorch_training.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {

struct Tower : Shared<Conv2d<3, 3, Padding<1>>, ReLU, MaxPool2d<2>, Flatten, Linear<6>, Tanh> {};
struct Siamese : Sequential<Input<2, 8, 10>, Concat<Path<Slice<0, 1>, Tower>, Path<Slice<1, 1>, Tower>>, Linear<5>,
                            Tanh, Linear<2>> {};

struct Hidden : Shared<Linear<8>, Tanh> {};
struct Tied : Sequential<Input<5>, Linear<8>, Tanh, Hidden, Hidden, Sigmoid, Hidden, Linear<3>> {};

template <class Precision, class Device>
void check(const Device& device, double most, double most_after_ten) {
  check_training_against_pytorch<Siamese, void, Precision>(device, CrossEntropyLoss{}, "siamese", most, most_after_ten);
  check_training_against_pytorch<Tied, Shape<3>, Precision>(device, MSELoss{}, "tied", most, most_after_ten);
}

}  // namespace

TEST_CASE("the host in double") { check<Float64>(Host{.threads = 2}, 1e-6, 1e-6); }
