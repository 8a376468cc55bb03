// expected: sinter: fit() of an Ensemble or an AnyOf is found by its argument: call it without sinter:: in front
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>

struct Net : sinter::Sequential<sinter::Input<2>, sinter::Linear<2>> {};

void train(sinter::Ensemble<Net>& nets) {
  sinter::fit(nets, sinter::disc(10, 1), sinter::CrossEntropyLoss{}, sinter::SGD{.lr = 0.1});
}
