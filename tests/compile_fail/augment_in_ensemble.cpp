// expected: sinter: an ensemble trains on the same rows in each epoch, and augment() changes them
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<1, 28, 28>, Flatten, Linear<10>> {};

void train(Ensemble<Net>& nets, const Mnist& digits) {
  fit(nets, augment(digits.train, {}, RandomHorizontalFlip{}), CrossEntropyLoss{}, SGD{.lr = 0.1});
}
