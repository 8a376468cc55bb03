// SPDX-License-Identifier: MIT
#include <sinter/trainable_library.hpp>

using namespace sinter;

struct Tendency : Sequential<Input<3>, Linear<24>, Tanh, Linear<1>> {};

SINTER_TRAINABLE_LIBRARY(Tendency)
