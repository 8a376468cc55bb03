// SPDX-License-Identifier: MIT
// expected: sinter: ColumnParallel divides a model that has more weights than running statistics
#include <sinter/ranks.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<1000>, BatchNorm1d<NoAffine>, Linear<1>> {};
Network<Net, ColumnParallel<At<1>, 1>> net;
