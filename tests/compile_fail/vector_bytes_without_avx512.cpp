// expected: sinter: SINTER_VECTOR_BYTES was given as 64, expected 64 or 32 with AVX-512
// SPDX-License-Identifier: MIT
#define SINTER_VECTOR_BYTES 64
#include <sinter/sinter.hpp>
