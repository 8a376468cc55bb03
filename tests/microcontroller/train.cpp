// SPDX-License-Identifier: MIT
// The last layer of a network is trained on a microcontroller: its losses beside those of the machine that wrote the
// weights, the instructions and the stack of a step, and whether it learns.
#include <bit>
#include <sinter/fixed_trainer.hpp>

#include "features.hpp"
#include "inputs.hpp"
#include "last.hpp"
#include "measure.hpp"
#include "models.hpp"
#include "wanted.hpp"

namespace {

using LastTrainer = sinter::FixedTrainer<Last, sinter::CrossEntropyLoss, sinter::Adam, training_rows>;
static_assert(sizeof(LastTrainer) < 10 * 1024);

constexpr sinter::View<Features> of_features(features);
sinter::FixedWorkspace<Features, 1> workspace;
float seen[training_rows][32];

}  // namespace

int main() {
  static LastTrainer trainer(last, {}, {.lr = 0.01});
  bool same = true;
  float first = 0, loss = 0;
  for (std::size_t step = 0; step < training_steps; ++step) {
    const auto x = input<Features, training_rows>(step);
    const auto labels = labels_of(x);
    for (std::size_t row = 0; row < training_rows; ++row) {
      const auto y = of_features.forward(std::span<const float, 17>(x.data() + row * 17, 17), workspace);
      for (std::size_t i = 0; i < y.size(); ++i) seen[row][i] = y[i];
    }
    const auto work = [&] {
      loss = trainer.step(sinter::TensorView<const float, Last::InputRow>{seen[0], training_rows}, std::span(labels));
    };
    if (step + 1 < training_steps)
      work();
    else
      machine::measure<1>("a step", work);
    if (step == 0) first = loss;
    same = same && std::bit_cast<unsigned>(loss) == losses_wanted[step];
  }
  machine::print("training of the last layer: loss ");
  machine::print(static_cast<std::uint32_t>(first * 1000));
  machine::print(" to ");
  machine::print(static_cast<std::uint32_t>(loss * 1000));
  machine::print(" thousandths, ");
  machine::print(same ? "the same bits, " : "other bits, ");
  machine::print(static_cast<std::uint32_t>(sizeof trainer));
  machine::print(" bytes\n");
  const bool learned = loss < first / 2;
  return learned && (same || !wanted_with_fma) && trainer.steps() == training_steps ? 0 : 1;
}
