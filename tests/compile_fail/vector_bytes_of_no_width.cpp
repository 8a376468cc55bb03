// expected: sinter: SINTER_VECTOR_BYTES was given as 48, expected 64 or 32 with AVX-512
// expected: or leave SINTER_VECTOR_BYTES out
// SPDX-License-Identifier: MIT
#define SINTER_VECTOR_BYTES 48
#include <sinter/sinter.hpp>
