// SPDX-License-Identifier: MIT
#include <sinter/library.hpp>

#include "w1.hpp"

SINTER_MODEL_LIBRARY(bench::W1)
