// SPDX-License-Identifier: MIT
#pragma once

/// Networks and arrays to files and back. No part of sinter.hpp: a program that has no files to read compiles faster without.
#include "sinter/io/checkpoint.hpp"
#include "sinter/io/fit_checkpoint.hpp"
#include "sinter/io/load.hpp"
#include "sinter/io/npy.hpp"
#include "sinter/io/npz.hpp"
#include "sinter/io/onnx.hpp"
#include "sinter/io/save.hpp"
#include "sinter/io/tensorboard.hpp"
