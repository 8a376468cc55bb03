// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <stdexcept>
#include <string>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Every run-time error of the library. Its text says what was given, what was expected and what to do.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Ends the program with a message: for mistakes in functions that must not throw.
[[noreturn]] SINTER_COLD void end_program(const std::string& message);

/// Ends an operation that cannot go on: throws Error, or, in a program built without exceptions, prints and aborts.
[[noreturn]] SINTER_COLD void fail(const std::string& message);

/// The same with a function that makes the message. Programs without messages do not contain it.
template <std::invocable Message>
[[noreturn]] void end_program([[maybe_unused]] Message&& message) {
#if SINTER_MESSAGES
  end_program(message());
#else
  __builtin_trap();
#endif
}
/// Ends an operation with the message that the function makes.
template <std::invocable Message>
[[noreturn]] void fail([[maybe_unused]] Message&& message) {
#if SINTER_MESSAGES
  fail(message());
#else
  __builtin_trap();
#endif
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::Error;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/core/error.ipp"
#endif
