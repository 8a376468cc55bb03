// SPDX-License-Identifier: MIT
#pragma once

/// Networks, arrays and datasets to files and back. No part of sinter.hpp: a program that has no files to read compiles
/// faster without.

// First what may refuse a compiler or a call.
#include "sinter/core/macros.hpp"
#include "sinter/io/load.hpp"
#include "sinter/io/save.hpp"
// The rest.
#include "sinter/data/cifar.hpp"
#include "sinter/data/csv.hpp"
#include "sinter/data/gray.hpp"
#include "sinter/io/any_of.hpp"
#include "sinter/io/checkpoint.hpp"
#include "sinter/io/export_header.hpp"
#include "sinter/io/fit_checkpoint.hpp"
#include "sinter/io/npy.hpp"
#include "sinter/io/npz.hpp"
#include "sinter/io/onnx.hpp"
#include "sinter/io/pack.hpp"
#include "sinter/io/storage_report.hpp"
#include "sinter/io/tensorboard.hpp"
#include "sinter/network/budget.hpp"
#include "sinter/network/view.hpp"
#if SINTER_THREADS
#include "sinter/data/read_ahead.hpp"
#endif
