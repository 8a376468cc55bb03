// SPDX-License-Identifier: MIT
#include <sinter/library.hpp>

#include "networks.hpp"

SINTER_MODEL_LIBRARY(bench::Folds)
