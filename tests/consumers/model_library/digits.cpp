// SPDX-License-Identifier: MIT
#include "digits.hpp"

#include <sinter/library.hpp>

SINTER_MODEL_LIBRARY(Digits)
