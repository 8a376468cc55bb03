// SPDX-License-Identifier: MIT
#pragma once

/// Many models with many options, on all threads or ranks. No part of sinter.hpp: it needs the checkpoints of
/// sinter/io.hpp.

// First what may refuse a compiler.
#include "sinter/core/macros.hpp"
// The rest.
#include "sinter/parallel/sweep.hpp"
