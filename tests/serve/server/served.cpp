// SPDX-License-Identifier: MIT
#include "served.hpp"

#include <sinter/library.hpp>

SINTER_MODEL_LIBRARY(Served)
