// SPDX-License-Identifier: MIT
// A sweep on simulated hosts. Compiled by smpicxx and started by smpirun: see bench/simulated/run.
#include <smpi/smpi.h>
#include <time.h>
#include <sinter/mpi.hpp>
#include <sinter/sweep.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "../support/networks.hpp"

namespace {

using namespace bench;

/// What a rank computes between its calls of MPI, in seconds of the processor, is simulated as it was measured.
class Processor {
 public:
  /// call(), in which only the messages take time.
  template <class Call>
  auto stopped(const Call& call) {
    if (calls_++ == 0) smpi_execute(seconds() - begin_);
    struct GoOn {
      Processor& processor;
      ~GoOn() {
        if (--processor.calls_ == 0) processor.begin_ = seconds();
      }
    } go_on{*this};
    return call();
  }

 private:
  /// In parentheses, as SimGrid replaces the function by that of its simulated time.
  static double seconds() {
    timespec now{};
    (clock_gettime)(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  int calls_ = 0;
  double begin_ = seconds();
};

class SimulatedHosts : public Mpi {
 public:
  SimulatedHosts(Processor& processor, int& count, char**& values) : Mpi(count, values, limit), processor_(processor) {}
  SimulatedHosts(Processor& processor, MPI_Comm ranks) : Mpi(ranks, limit), processor_(processor) {}

  std::unique_ptr<SharedCounter> counter() override {
    return std::make_unique<Counter>(processor_, processor_.stopped([&] { return Mpi::counter(); }));
  }

 protected:
  void move(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    processor_.stopped([&] { Mpi::move(out, in); });
  }
  std::unique_ptr<Communicator> part(const std::vector<int>&, int color, int place) override {
    return processor_.stopped([&] {
      MPI_Comm ranks = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, color, place, &ranks);
      return std::make_unique<SimulatedHosts>(processor_, ranks);
    });
  }

 private:
  static constexpr std::chrono::seconds limit{100000};
  class Counter : public SharedCounter {
   public:
    Counter(Processor& processor, std::unique_ptr<SharedCounter> all) : processor_(processor), all_(std::move(all)) {}
    std::int64_t take(std::int64_t count) override {
      return processor_.stopped([&] { return all_->take(count); });
    }

   private:
    Processor& processor_;
    std::unique_ptr<SharedCounter> all_;
  };
  Processor& processor_;
};

}  // namespace

/// sweep CANDIDATES EPOCHS: prints candidates, hosts and simulated milliseconds, separated by commas. Hosts beyond the
/// candidates divide the batches of each.
int main(int count, char** values) {
  Processor processor;
  SimulatedHosts world(processor, count, values);
  const int candidates = count > 1 ? std::atoi(values[1]) : 0, epochs = count > 2 ? std::atoi(values[2]) : 0;
  if (candidates < 1 || epochs < 1) return 2;
  constexpr std::size_t rows = 2000;
  std::mt19937 generator(1);
  std::normal_distribution<float> number;
  Tensor<float, Tabular::InputRow> x(rows);
  std::generate_n(x.data(), rows * Tabular::InputRow::size, [&] { return number(generator); });
  std::vector<int> labels(rows);
  for (std::size_t i = 0; i < rows; ++i) labels[i] = static_cast<int>(i % 5);
  std::vector<SGD> rates;
  for (int i = 0; i < candidates; ++i) rates.push_back({.lr = 0.01 * std::pow(1.01, i), .momentum = 0.9});

  const int each = std::max(1, world.size() / candidates);
  const auto group = world.split(world.rank() / each);
  const Ranks<Ranks<Host>> device{world, Ranks<Host>{*group, Host{.threads = 1}}};
  const double begin = MPI_Wtime();
  const auto found = sweep<Tabular>(device, dataset(x, labels), CrossEntropyLoss{}, rates,
                                    {.epochs = epochs, .held_out = k_folds(rows, 5)[0]});
  const double own = MPI_Wtime() - begin;
  const std::vector<double> all = sinter::internal::detail::gather(world, own);
  if (world.rank() == 0)
    std::printf("%zu,%d,%.4f\n", found.size(), world.size(), 1e3 * *std::max_element(all.begin(), all.end()));
  return 0;
}
