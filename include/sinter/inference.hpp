// SPDX-License-Identifier: MIT
#pragma once

/// A trained network in a program of its own: what it computes, and nothing that needs threads, streams or files.

// First what may refuse a compiler or weights.
#include "sinter/core/macros.hpp"
#include "sinter/network/view.hpp"
// The rest.
#include "sinter/core/predicted_class.hpp"
#include "sinter/layers/all.hpp"
#include "sinter/model/sequential.hpp"
#include "sinter/model/truncate.hpp"
#include "sinter/network/budget.hpp"
#include "sinter/network/can_stream.hpp"
#include "sinter/network/join_inputs.hpp"
#include "sinter/network/stream.hpp"
#include "sinter/network/streams.hpp"
