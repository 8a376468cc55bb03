// SPDX-License-Identifier: MIT
#pragma once

/// Everything for the host. Needs nothing but a C++20 compiler: g++ -std=c++20 -I include -pthread.

// First what may refuse a program, so that the compiler names few files on the way to the message.
#include "sinter/core/shape.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"
#include "sinter/network/sequential.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/check_loss.hpp"

#include "sinter/network/network.hpp"

#include "sinter/core/tensor.hpp"
#include "sinter/data/dataset.hpp"
#include "sinter/data/disc.hpp"
#include "sinter/data/labelled_data.hpp"
#include "sinter/data/mnist.hpp"
#include "sinter/device/host.hpp"
#include "sinter/device/reference.hpp"
#include "sinter/kernels/host/engine.hpp"
#include "sinter/kernels/reference/device_engine.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/loss/nll.hpp"
#include "sinter/network/describe.hpp"
#include "sinter/network/summary.hpp"
#include "sinter/network/truncate.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/early_stopping.hpp"
#include "sinter/train/evaluate.hpp"
#include "sinter/train/fit.hpp"
#include "sinter/train/history.hpp"
#include "sinter/train/progress.hpp"
#include "sinter/train/trainer.hpp"
#include "sinter/version.hpp"
