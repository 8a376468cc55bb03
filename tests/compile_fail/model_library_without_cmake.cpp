// expected: sinter: a model library is compiled by CMake's sinter_add_model_library(name source)
// SPDX-License-Identifier: MIT
#include <sinter/library.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<3>, ReLU> {};
SINTER_MODEL_LIBRARY(Net)
