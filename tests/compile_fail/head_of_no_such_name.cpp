// SPDX-License-Identifier: MIT
// expected: sinter: the network has no head of that name or number: see is_one_of<given, heads>
// expected: plate
// expected: place
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Heads<Named<"place", Path<Linear<2>>>, Path<Linear<3>>>> {};
auto places(const TensorView<float, Shape<5>>& y) { return head<Net, "plate">(y); }
