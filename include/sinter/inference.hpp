// SPDX-License-Identifier: MIT
#pragma once

/// A trained network in a program of its own: what it computes, and nothing that needs threads, streams or files.

// First what may refuse a compiler.
#include "sinter/core/macros.hpp"
// The rest.
#include "sinter/core/predicted_class.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/adaptive_pool2d.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/concat.hpp"
#include "sinter/layers/conv1d.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/conv_transpose2d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/embedding.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/group_norm.hpp"
#include "sinter/layers/heads.hpp"
#include "sinter/layers/highway.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/path.hpp"
#include "sinter/layers/pool1d.hpp"
#include "sinter/layers/pool2d.hpp"
#include "sinter/layers/prelu.hpp"
#include "sinter/layers/product.hpp"
#include "sinter/layers/reshape.hpp"
#include "sinter/layers/residual.hpp"
#include "sinter/layers/shared.hpp"
#include "sinter/layers/slice.hpp"
#include "sinter/model/sequential.hpp"
#include "sinter/model/truncate.hpp"
#include "sinter/network/budget.hpp"
#include "sinter/network/view.hpp"
