// SPDX-License-Identifier: MIT
#include "nets.hpp"

#include <sinter/trainable_library.hpp>

SINTER_TRAINABLE_LIBRARY(Disc, Curve, Logs)
