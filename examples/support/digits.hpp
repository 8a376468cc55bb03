// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "data_folder.hpp"

#if !defined(SINTER_MNIST_SUBSET)
#define SINTER_MNIST_SUBSET "mnist"
#endif

/// --data: by default the digits of the repository, which the build unpacks.
inline std::string get_digits_folder(Arguments& arguments) {
  return arguments.get("--data", SINTER_MNIST_SUBSET, "folder with the four IDX files of MNIST, or of a set like it");
}
inline void check_digits_folder(const Arguments& arguments, const std::string& folder) {
  check_data_folder(arguments, folder, SINTER_MNIST_SUBSET, "6,000 digits", "mnist");
}
