// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/data/cifar.hpp>
#include <string>

#include "arguments.hpp"

/// --data: by default the photographs of the repository, where the build says where they are.
inline std::string get_pictures_folder(Arguments& arguments) {
#if defined(SINTER_CIFAR10_SUBSET)
  const std::string subset = SINTER_CIFAR10_SUBSET;
#else
  const std::string subset;
#endif
  return arguments.get("--data", subset, "folder with the six binary files of CIFAR-10");
}
inline void check_pictures_folder(const Arguments& arguments, const std::string& folder) {
  if (folder.empty()) arguments.refuse("--data was not given, expected a folder; examples/data/fetch gets CIFAR-10");
}
