// SPDX-License-Identifier: MIT
#pragma once

/// Ranks that are processes of MPI. It needs <mpi.h>: find_package(sinter COMPONENTS mpi), sinter::mpi; or mpicxx.

// First what may refuse a compiler.
#include "sinter/core/macros.hpp"
// The rest.
#include "sinter/ranks.hpp"
#include "sinter/ranks/mpi.hpp"
