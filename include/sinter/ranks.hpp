// SPDX-License-Identifier: MIT
#pragma once

/// One network trained by many processes or threads, with the bits of one. No part of sinter.hpp: programs without
/// ranks compile faster without. Processes of MPI: sinter/mpi.hpp.

// First what may refuse a compiler or a device.
#include "sinter/core/macros.hpp"
#include "sinter/ranks/column_parallel.hpp"
#include "sinter/ranks/pipeline.hpp"
#include "sinter/ranks/ranks.hpp"
// The rest.
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/describe_column_parallel.hpp"
#include "sinter/ranks/describe_pipeline.hpp"
#include "sinter/ranks/slow_rank.hpp"
#include "sinter/ranks/solo.hpp"
#include "sinter/ranks/step_traffic.hpp"
#include "sinter/ranks/threads.hpp"
