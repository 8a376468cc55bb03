// SPDX-License-Identifier: MIT
#pragma once

/// Networks and arrays to files and back. Part of sinter.hpp.
#include "sinter/io/load.hpp"
#include "sinter/io/save.hpp"
