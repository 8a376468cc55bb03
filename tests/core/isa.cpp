// SPDX-License-Identifier: MIT
// labels: processor optimised
// A width that the instruction set has may be asked for: tests/compile_fail has those that may not.
#if defined(SINTER_VECTOR_BYTES)  // these programs are all compiled so
#elif defined(__AVX2__) && defined(__FMA__)
#define SINTER_VECTOR_BYTES 32
#else
#define SINTER_VECTOR_BYTES 16
#endif
#include "sinter/core/isa.hpp"

#include <doctest/doctest.h>

TEST_CASE("the width that is asked for is the one that kernels work in") {
  CHECK(sinter::isa::Native::vector_bytes == SINTER_VECTOR_BYTES);
}
