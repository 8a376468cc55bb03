// SPDX-License-Identifier: MIT
#pragma once

/// Requests that come one by one, answered in batches. No part of sinter.hpp: programs without requests compile faster
/// without.

// First what may refuse a compiler.
#include "sinter/core/macros.hpp"
// The rest.
#include "sinter/serve/batcher.hpp"
#include "sinter/serve/batcher_options.hpp"
#include "sinter/serve/batcher_statistics.hpp"
#include "sinter/serve/latency_histogram.hpp"
#include "sinter/serve/request.hpp"
