// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/core/error.hpp>
#include <string>

/// What `action` fails with, without the prefix; "(no error)" if it does not.
template <class Action> std::string error_of(Action&& action) {
  try {
    action();
  } catch (const sinter::Error& error) {
    return std::string(error.what()).substr(8);
  }
  return "(no error)";
}
