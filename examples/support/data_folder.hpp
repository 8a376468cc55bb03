// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

#include "arguments.hpp"

/// Refuses a folder that does not exist, and says how to get the full data where the repository's small part is used.
inline void check_data_folder(const Arguments& arguments, const std::string& folder, const std::string& subset,
                              const std::string& what, const std::string& name) {
  const std::string fetch = "sh examples/data/fetch " + name + " DIR", full = "--data DIR/" + name;
  if (!std::filesystem::is_directory(folder))
    arguments.refuse("there is no folder \"" + folder +
                     "\", expected the data there; unpack those of the repository by" + " mkdir " + name +
                     " && tar -xf examples/data/" + name + "_subset.tar.xz -C " + name + ", or get all by " + fetch +
                     " and pass " + full);
  if (folder == subset)
    std::printf("the repository's %s; for all of them: %s, then %s\n", what.c_str(), fetch.c_str(), full.c_str());
}
