// expected: sinter: Hardtanh<low, high> takes a low that is smaller than its high
// SPDX-License-Identifier: MIT
#include <sinter/layers/activation.hpp>
#include <sinter/layers/linear.hpp>
#include <sinter/model/sequential.hpp>
using namespace sinter;

struct Net : Sequential<Input<3>, Linear<4>, Hardtanh<1.0, -1.0>, Linear<2>> {};
