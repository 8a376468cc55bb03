// SPDX-License-Identifier: MIT
// expected: sinter: after the network fit takes a dataset: fit(net, dataset(x, labels), CrossEntropyLoss{}, SGD{.lr = 0.1})
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void train(Network<Net>& net, const Tensor<float, Shape<2>>& x) { fit(net, x, x, MSELoss{}, SGD{.lr = 0.1}); }
