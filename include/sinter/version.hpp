// SPDX-License-Identifier: MIT
#pragma once

// The only place where the version is written: CMake and Conan read it here.
#define SINTER_VERSION_MAJOR 0
#define SINTER_VERSION_MINOR 1
#define SINTER_VERSION_PATCH 0
