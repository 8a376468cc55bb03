// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sinter_test::ptx {

/// The PTX in what nvcc hands to __cudaRegisterFatBinary. Throws Fault unless it has some that is not compressed: nvcc
/// -arch=compute_90 -code=compute_90 --no-compress.
std::string ptx_of(const void* registered);

}  // namespace sinter_test::ptx
