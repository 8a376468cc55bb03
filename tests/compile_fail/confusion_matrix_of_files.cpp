// expected: sinter: confusion_matrix takes rows in memory; evaluate and score take files
// SPDX-License-Identifier: MIT
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3>, Linear<2>> {};

void judge(const Network<Net>& net, const RecordFiles<float, Shape<3>, int>& files) { confusion_matrix(net, files); }
