// SPDX-License-Identifier: MIT
#pragma once

/// For a source file that is compiled to a shared library with a C interface that trains, once for each instruction
/// set, by CMake's sinter_add_model_library(name source TRAINABLE). It names models:
///
///     #include <sinter/trainable_library.hpp>
///     struct Digits : sinter::Sequential<..> {};
///     struct Prices : sinter::Sequential<..> {};
///     SINTER_TRAINABLE_LIBRARY(Digits, Prices)
///
/// The functions of the interface are in the header NAME.h, which CMake writes beside the library.

// First what may refuse a compiler.
#include "sinter/core/macros.hpp"
// The rest.
#include "sinter/library/named_network.hpp"
#include "sinter/sinter.hpp"

#if defined(SINTER_TRAINABLE_PART)
#define SINTER_TRAINABLE_LIBRARY(...)                                                                              \
  sinter_trainable::Part SINTER_TRAINABLE_PART();                                                                  \
  sinter_trainable::Part SINTER_TRAINABLE_PART() {                                                                 \
    return sinter::internal::detail::NamedKinds<SINTER_TRAINABLE_DEVICE, __VA_ARGS__>::part(SINTER_TRAINABLE_ISA); \
  }
#else
#define SINTER_TRAINABLE_LIBRARY(...)                                                                                  \
  static_assert(false,                                                                                                 \
                "sinter: a trainable library is compiled by CMake's sinter_add_model_library(name source TRAINABLE), " \
                "or by tools/model_library, which looks for SINTER_TRAINABLE_LIBRARY( in the source file");
#endif
