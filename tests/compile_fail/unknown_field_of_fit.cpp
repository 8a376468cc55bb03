// SPDX-License-Identifier: MIT
// expected: fit_has_batch_size_epochs_validation_held_out_shuffle_drop_last_interval_first_epoch_chunks
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void train(Network<Net>& net) { fit(net, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epoch = 3}); }
