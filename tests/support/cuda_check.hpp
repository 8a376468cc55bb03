// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include "support/cuda_on_host.hpp"
#include "support/networks.hpp"

/// What every network must satisfy in every plan of the Cuda device, run on the host executor: gradients by central
/// differences, everything against the reference, and the plans against one another.
namespace sinter_test {

void check_cuda_plan(KernelPlan plan, const AnyModel& model, const AnyEngine<double>& reference,
                     const AnyEngine<double>& engine);
template <KernelPlan Plan, class Model, class Loss>
void check_cuda_plan(Case<Model, Loss>) {
  sinter::internal::ReferenceEngine<Model, double> reference;
  CudaOnHost<Model, double, Plan> engine;
  check_cuda_plan(Plan, any_model<Model>(), any_engine<double>(reference, Loss{}), any_engine<double>(engine, Loss{}));
  CHECK(engine.all_answered());
}
/// By the plan that takes a batch whole.
template <class... Cases>
void check_cuda_phases(sinter::internal::TypeList<Cases...>) {
  (check_cuda_plan<KernelPlan::phases>(Cases{}), ...);
}
template <class... Cases>
void check_cuda(sinter::internal::TypeList<Cases...>) {
  const auto check = [](auto one) {
    check_cuda_plan<KernelPlan::tiles>(one);
    check_cuda_plan<KernelPlan::phases>(one);
  };
  (check(Cases{}), ...);
}

}  // namespace sinter_test
