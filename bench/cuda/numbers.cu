// SPDX-License-Identifier: MIT
#include "numbers.hpp"
