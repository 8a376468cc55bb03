// SPDX-License-Identifier: MIT
#pragma once

/// Networks as functions of one row: net.function(). No part of sinter.hpp: programs without compile faster without.

// First what may refuse a compiler, a model or a call.
#include "sinter/core/macros.hpp"
#include "sinter/network/network.hpp"
// The rest.
#include "sinter/network/function.hpp"
