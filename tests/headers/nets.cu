// SPDX-License-Identifier: MIT
// Every network by its plan, through training, evaluation and prediction.
#include "nets.hpp"

bool all_learn() {
  using sinter::CudaPlan;
  return nets::learns<nets::LeNet, CudaPlan::pair>() && nets::learns<nets::Mlp, CudaPlan::resident>() &&
         nets::learns<nets::Wide, CudaPlan::layers>() && nets::learns<nets::Norms, CudaPlan::pair>() &&
         nets::learns<nets::BatchNorms, CudaPlan::layers>() && nets::all_learn<nets::Large>();
}
