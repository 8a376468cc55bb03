// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "arguments.hpp"

/// --data: by default the digits of the repository, where the build says where they are.
inline std::string get_digits_folder(Arguments& arguments) {
#if defined(SINTER_MNIST_SUBSET)
  const std::string subset = SINTER_MNIST_SUBSET;
#else
  const std::string subset;
#endif
  return arguments.get("--data", subset, "folder with the four IDX files of MNIST, or of a set like it");
}
inline void check_digits_folder(const Arguments& arguments, const std::string& folder) {
  if (folder.empty()) arguments.refuse("--data was not given, expected a folder; examples/data/fetch gets MNIST");
}
