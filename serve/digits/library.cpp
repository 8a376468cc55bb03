// SPDX-License-Identifier: MIT
#include <sinter/library.hpp>

#include "network.hpp"

SINTER_MODEL_LIBRARY(Digits)
