// SPDX-License-Identifier: MIT
// A training step on simulated hosts. Compiled by smpicxx and started by smpirun: see bench/simulated/run.
#include <smpi/smpi.h>
#include <time.h>
#include <sinter/mpi.hpp>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../support/networks.hpp"
#include "../support/w1.hpp"

namespace {

using namespace bench;

/// Ranks whose messages SimGrid simulates. What a rank computes from one exchange to the next is measured, and simulated
/// by the least time so far: each host has its core to itself, whatever this machine does.
class SimulatedHosts : public Mpi {
 public:
  using Mpi::Mpi;
  /// Steps that exchange more than others, to compare what ranks have in common, are not noted.
  void begin_step(bool noted) {
    noted_ = noted;
    interval_ = 0;
    begin_ = seconds();
  }
  void end_step() { compute(); }

 protected:
  void move(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    compute();
    Mpi::move(out, in);
    begin_ = seconds();
  }

 private:
  /// Of the processor; in parentheses, as SimGrid replaces the function by that of its simulated time.
  static double seconds() {
    timespec now{};
    (clock_gettime)(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  void compute() {
    const double took = seconds() - begin_;
    if (!noted_) return;
    if (interval_ == least_.size()) least_.push_back(took);
    least_[interval_] = std::min(least_[interval_], took);
    smpi_execute(least_[interval_++]);
  }

  std::vector<double> least_;  // of each interval of a step
  std::size_t interval_ = 0;
  bool noted_ = false;
  double begin_ = 0;
};

/// Each rank has the rows that it reads.
template <class Model, class Loss>
void measure(SimulatedHosts& world, const char* name, std::size_t batch, unsigned most) {
  using Row = typename Network<Model>::InputRow;
  Network<Model, Ranks<Host>> net{{world, Host{.threads = 1}}, {.seed = 1}};
  Trainer trainer{net, Loss{}, SGD{.lr = 0.001, .momentum = 0.9}};
  const auto rows = std::make_unique_for_overwrite<float[]>(batch * Row::size);
  std::mt19937 generator(1);
  std::normal_distribution<float> number;
  const auto [first, last] = trainer.rows_to_read(batch);
  std::generate(rows.get() + first * Row::size, rows.get() + last * Row::size, [&] { return number(generator); });
  std::vector<int> labels(batch);
  for (std::size_t i = 0; i < batch; ++i) labels[i] = static_cast<int>(i) % Network<Model>::output_size;

  double begin = 0;
  for (unsigned step = 1; step < 2 * most; ++step) {  // 1, 2, 4 .. compare
    if (step == most + 1) begin = MPI_Wtime();
    world.begin_step(!std::has_single_bit(step));
    trainer.step(TensorView<const float, Row>{rows.get(), batch}, std::span<const int>(labels));
    world.end_step();
  }
  const double own = (MPI_Wtime() - begin) / (most - 1);
  const std::vector<double> all = sinter::internal::detail::gather(world, own);
  if (world.rank() == 0)
    std::printf("%s,%zu,%d,%.4f\n", name, batch, world.size(), 1e3 * *std::max_element(all.begin(), all.end()));
}

}  // namespace

int main(int count, char** values) {
  SimulatedHosts world(count, values, std::chrono::seconds(100000));
  const std::string name = count > 1 ? values[1] : "";
  const std::size_t batch = count > 2 ? std::strtoul(values[2], nullptr, 10) : 0;
  const unsigned most = count > 3 ? static_cast<unsigned>(std::atoi(values[3])) : 0;  // steps that measure alone
  if (batch == 0 || most < 4 || !std::has_single_bit(most)) return 2;
  if (name == "W1") measure<W1, NLLLoss>(world, "W1", batch, most);
  if (name == "resnet-8") measure<ResNet8, CrossEntropyLoss>(world, "resnet-8", batch, most);
  if (name == "vgg") measure<Vgg, CrossEntropyLoss>(world, "vgg", batch, most);
  if (name == "784-1024-1024-10") measure<Digits, CrossEntropyLoss>(world, "784-1024-1024-10", batch, most);
  return 0;
}
