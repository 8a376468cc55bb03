// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>

#include "sinter/io/fit_checkpoint.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION bool file_exists(const std::string& path) { return exists(path) || errno != ENOENT; }

SINTER_FUNCTION std::string try_to_write_bytes(const std::string& path, const std::vector<std::byte>& bytes) {
  return try_to_write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace detail

SINTER_FUNCTION void Checkpoint::require_writable() const {
  require_path();
  if (const std::string found = detail::problem_of_writing(path); !found.empty()) fail(found);
}

SINTER_FUNCTION detail::FileLock Checkpoint::hold_during_fit() const {
  require_writable();
  detail::FileLock lock(detail::find_target(path).path);
  if (lock.elsewhere())
    fail(joined({"the checkpoint ", path, " is being written by another fit",
                 lock.owner().empty() ? "" : " of the process ", lock.owner(),
                 "; wait until that ends or stop it, or give this one another path"}));
  return lock;
}

SINTER_FUNCTION Checkpoint Checkpoint::for_member(std::size_t member) const {
  require_path();
  return {.path = path + "." + std::to_string(member),
          .every = every,
          .resume = resume,
          .take = take,
          .allow_nan = allow_nan};
}

SINTER_FUNCTION void Checkpoint::require_path() const {
  if (path.empty()) fail("Checkpoint was given no path; give it the name of a file");
}

SINTER_NAMESPACE_END
