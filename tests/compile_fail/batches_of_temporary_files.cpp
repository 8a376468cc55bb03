// expected: sinter: batches() only views record files, and a temporary would be gone; give it a name first
// SPDX-License-Identifier: MIT
#include <sinter/io.hpp>
using namespace sinter;

void rows(const RecordFiles<float, Shape<2>, int>& files) { batches(RecordFiles<float, Shape<2>, int>(files)); }
