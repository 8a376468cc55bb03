// expected: sinter: the batches have a name, auto all = batches(..), or are those of a for loop
// SPDX-License-Identifier: MIT
#include <sinter/io.hpp>
using namespace sinter;

void walk(const RecordFiles<float, Shape<2>, int>& files) { auto at = batches(files).begin(); }
