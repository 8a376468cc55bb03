// SPDX-License-Identifier: MIT
#pragma once

// Only the C interface: the one for C++ has been removed from the standard.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#include <mpi.h>

#include <cstddef>
#include <string>

#include "sinter/core/error.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_COLD inline std::string text_of_mpi(int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return std::string(text, static_cast<std::size_t>(length)) + ", code " + std::to_string(code);
}
/// Fails unless a function of MPI returned success.
inline void check_mpi(int code, const char* what) {
  if (code != MPI_SUCCESS) fail("MPI could not " + std::string(what) + ": " + text_of_mpi(code));
}

}  // namespace detail

SINTER_NAMESPACE_END
