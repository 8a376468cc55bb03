// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using networks::Chain, networks::Cube, networks::OfUser;

// Maps alone; several in a row, saved from the input and from the output, at the start, in the middle and at the end.
using Alone = TypeList<Chain<Input<3>, ReLU>, Chain<Input<11>, Tanh, Activation<Cube>, Sigmoid, Activation<OfUser>>,
                       Chain<Input<2, 3, 5>, Activation<OfUser>, Flatten, ReLU, Linear<3>>>;
using InTheMiddle = TypeList<Chain<Input<9>, Linear<8>, Activation<OfUser>, Tanh, Activation<Cube>, Linear<4>>,
                             Chain<Input<7>, LogSoftmax, ReLU, Linear<5>, LogSoftmax, Linear<3>, Softmax>>;

TEST_CASE("maps") { check_host(networks::Maps{}); }
TEST_CASE("activations with options and without") { check_host(networks::Activations{}); }
TEST_CASE("maps without a product") { check_host(Alone{}); }
TEST_CASE("maps between products and rows") { check_host(InTheMiddle{}); }
TEST_CASE("a network that only names a shape anew") {
  check_host(Chain<Input<2, 3, 5>, Flatten>{});
  check_host(Chain<Input<3>>{});
}
