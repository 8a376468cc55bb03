// SPDX-License-Identifier: MIT
#pragma once

/// Inference in integers of 8 bits: quantize(net, rows). No part of sinter.hpp: programs compile faster without.

// First what may refuse a compiler, a model or a call.
#include "sinter/core/macros.hpp"
#include "sinter/int8/check_rows.hpp"
#include "sinter/int8/fake_quantize.hpp"
#include "sinter/int8/refusal.hpp"
#include "sinter/network/network.hpp"
// The rest.
#include "sinter/int8/export_header.hpp"
#include "sinter/int8/fake_quantize_weights.hpp"
#include "sinter/int8/layer_ranges.hpp"
#include "sinter/int8/load.hpp"
#include "sinter/int8/onnx.hpp"
#include "sinter/int8/quantized_network.hpp"
#include "sinter/int8/save.hpp"
