// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/data/cifar.hpp>
#include <string>

#include "data_folder.hpp"

#if !defined(SINTER_CIFAR10_SUBSET)
#define SINTER_CIFAR10_SUBSET "cifar10"
#endif

/// --data: by default the photographs of the repository, which the build unpacks.
inline std::string get_pictures_folder(Arguments& arguments) {
  return arguments.get("--data", SINTER_CIFAR10_SUBSET, "folder with the six binary files of CIFAR-10");
}
inline void check_pictures_folder(const Arguments& arguments, const std::string& folder) {
  check_data_folder(arguments, folder, SINTER_CIFAR10_SUBSET, "450 pictures", "cifar10");
}
