// SPDX-License-Identifier: MIT
#pragma once

/// Requests that come one by one, answered in batches, and sequences that arrive in blocks. No part of sinter.hpp:
/// programs without requests compile faster without.

// First what may refuse a compiler or a model.
#include "sinter/core/macros.hpp"
#include "sinter/network/can_stream.hpp"
// The rest.
#include "sinter/serve/askable.hpp"
#include "sinter/serve/batcher.hpp"
#include "sinter/serve/batcher_options.hpp"
#include "sinter/serve/batcher_statistics.hpp"
#include "sinter/serve/latency_histogram.hpp"
#include "sinter/serve/request.hpp"
#include "sinter/serve/session_options.hpp"
#include "sinter/serve/session_statistics.hpp"
#include "sinter/serve/sessions.hpp"
