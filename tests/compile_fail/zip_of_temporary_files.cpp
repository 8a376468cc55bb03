// expected: sinter: zip() takes batches of files that have a name: auto all = batches(files, ..)
// SPDX-License-Identifier: MIT
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

void walk(const RecordFiles<float, Shape<2>, int>& files) { zip(batches(files), batches(files)); }
