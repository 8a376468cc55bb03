// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sinter/kernels/host/plan/plan.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/ranks/column_units.hpp"
#include "sinter/ranks/divided_engine.hpp"
#include "sinter/ranks/pipeline_stage.hpp"
#include "sinter/ranks/same_on_all.hpp"
#include "sinter/ranks/wide_and_narrow.hpp"

SINTER_NAMESPACE_BEGIN

template <class Wide, int Parts, class Device>
struct ColumnParallel;

namespace detail {

/// Runs a model whose wide layers are divided over ranks by columns: see WideAndNarrow.
template <class Model, class T, class Wide, int Parts, class OfRank>
class ColumnParallelEngine : public DividedEngine<ColumnParallelEngine<Model, T, Wide, Parts, OfRank>, Model, T,
                                                  ColumnParallel<Wide, Parts, OfRank>,
                                                  WideAndNarrow<Model, T, ColumnUnits<Model, Wide, Parts>, OfRank>> {
  using Units = ColumnUnits<Model, Wide, Parts>;
  using Base = DividedEngine<ColumnParallelEngine, Model, T, ColumnParallel<Wide, Parts, OfRank>,
                             WideAndNarrow<Model, T, Units, OfRank>>;

 public:
  using Base::Base;

  template <class View>
  void infer(const T* parameters, const BatchInputs<View>& from, std::size_t rows, T* y) {
    constexpr std::size_t at_once = 512, outputs = static_cast<std::size_t>(Base::Ops::output.size());
    for (std::size_t i = 0; i < rows; i += at_once)
      this->units().infer(parameters, BatchInputs<View>{from.view, from_row(from.choice, i), from.normalize},
                          std::min(at_once, rows - i), y + i * outputs);
  }

  template <class Loss, class View, class Given, class InputGradient>
  double accumulate(const T* parameters, const TrainingBatch<BatchInputs<View>, Given>& batch, const Loss& loss,
                    const GradientSum<T, InputGradient>& to) {
    check_same(parameters, batch);
    return this->units().accumulate(parameters, batch, loss, to);
  }

 private:
  /// Fails, on all ranks, where one differs from rank 0, and says in what.
  template <class Batch>
  void check_same(const T* parameters, const Batch& batch) {
    if (!this->compares()) return;
    constexpr std::size_t lanes = std::size_t{TilePlan<Model, T, typename OfRank::ISA>::lanes};
    compare(this->units().world(),
            {{"the model", false, fingerprint_of<Model>()},
             {"the layers that are divided", false, hash_of(&Units::layers, sizeof Units::layers)},
             {"the parts of a divided layer", true, std::size_t{Parts}},
             {"the bytes of a number", true, sizeof(T)},
             {"the vectors of its instruction set, in numbers", true, lanes},
             {"the seed", true, batch.key.seed},
             {"the epoch or step", true, batch.key.step},
             {"the rows of a batch", true, batch.rows},
             {"the order of the rows, which follows from seed and size of the data", false,
              hash_of(batch.samples, batch.rows * sizeof(*batch.samples))},
             {"the weights that all ranks have", false, hash_of_common(parameters)},
             {"the inputs of the batch", false, hash_of_inputs<typename Base::Ops>(batch)},
             {"the targets of the batch", false, hash_of_targets<typename Base::Ops>(batch)}});
  }
  std::uint64_t hash_of_common(const T* parameters) {
    std::uint64_t hash = 0;
    this->units().for_each([&](auto u, auto&) {
      constexpr int U = decltype(u)::value;
      if constexpr (Units::on_all(U))
        hash = hash_of(this->units().parameters_of(U, parameters),
                       sizeof(T) * static_cast<std::size_t>(Units::arenas[std::size_t{U}].size), hash);
    });
    return hash;
  }
};

}  // namespace detail

SINTER_NAMESPACE_END
