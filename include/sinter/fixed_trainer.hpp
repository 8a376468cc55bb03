// SPDX-License-Identifier: MIT
#pragma once

/// Training in a program of its own, without a heap: sinter/inference.hpp, and what changes weights.

#include "sinter/inference.hpp"
// The rest.
#include "sinter/loss/bce_with_logits.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/huber.hpp"
#include "sinter/loss/l1.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/loss/nll.hpp"
#include "sinter/loss/smooth_l1.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/adamw.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/fixed_trainer.hpp"
