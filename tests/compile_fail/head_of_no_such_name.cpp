// SPDX-License-Identifier: MIT
// expected: sinter: head<Net, Which>(..) takes the number of a head of Net, from 0, or its name
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Heads<Named<"place", Path<Linear<2>>>, Path<Linear<3>>>> {};
auto places(const TensorView<float, Shape<5>>& y) { return head<Net, "plate">(y); }
