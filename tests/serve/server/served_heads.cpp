// SPDX-License-Identifier: MIT
#include <sinter/library.hpp>

#include "served.hpp"

SINTER_MODEL_LIBRARY(ServedHeads)
