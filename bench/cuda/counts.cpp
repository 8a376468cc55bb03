// SPDX-License-Identifier: MIT
// What a block of each kernel asks of a GPU, phase by phase, counted on the CPU: accesses of warps, bank conflicts, lines
// and sectors of the device's memory, and an estimate of the time from these (counting::Model).
//     g++ -std=c++20 -O1 -DSINTER_KERNELS_ON_HOST -Iinclude -Itests -isystem CUDA/include bench/cuda/counts.cpp
//         tests/support/fake_cuda/fake_cuda.cpp -o counts -pthread
//     counts [NAME]
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "counting_executor.hpp"
#include "workloads.hpp"

namespace {
using namespace workload;
using counting::Call, counting::Counter, counting::Counts;

constexpr std::size_t shared_memory = 227 * 1024;
constexpr int rows_of_data = 1000, steps_of_resident = 3;

/// Begins where an allocation on a device could.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : lines_(size * sizeof(T) / sizeof(Line) + 1) {}
  T* data() { return reinterpret_cast<T*>(lines_.data()); }

 private:
  struct alignas(256) Line {
    std::byte bytes[256];
  };
  std::vector<Line> lines_;
};
template <class T>
DeviceArray<T> to_device(std::span<const T> values) {
  DeviceArray<T> array(values.size());
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

template <class Model>
DeviceArray<float> initial_values() {
  DeviceArray<float> values(static_cast<std::size_t>(Program<Model>::arena_size));
  for (const Parameter& p : Program<Model>::parameters)
    initialize(std::span<float>(values.data() + p.offset, static_cast<std::size_t>(p.size)), Initialization::pytorch,
               p.is_bias, p.fan_in, p.fan_out, 1, p.stream);
  return values;
}

/// The calls of `items` before the tiles of a block, where weights are staged.
template <class Model, class Memory>
std::vector<Call> staging_calls() {
  std::vector<Call> calls;
  if (Memory::staged == 0) return calls;
  for (int s = 0; s < gpu_kernels::Stages<Model>::count; ++s) {
    const Op& source = gpu_kernels::Stages<Model>::op(gpu_kernels::Stages<Model>::at(s).first);
    if (source.kind == OpKind::product && !source.whole) calls.push_back({"stage " + std::to_string(s)});
  }
  return calls;
}

/// Instructions of LogSoftmax and of its adjoint for each output, counted in sm_90 SASS.
constexpr double row_forward = 35, row_backward = 28.5;

/// The calls of `items` in a list of phases.
template <class Model, class List, bool Training, class Loss = void>
void add_calls(std::vector<Call>& calls, int rows) {
  constexpr const char* names[] = {"choose",  "load",         "moment_parts", "moments",    "batch_moments",
                                   "forward", "forward_sum",  "loss",         "output",     "slope_parts",
                                   "slopes",  "batch_slopes", "weight",       "weight_sum", "row",
                                   "input",   "input_sum"};
  unroll<List::count>([&](auto i) {
    constexpr gpu_kernels::Phase phase = List::template at<decltype(i)::value>;
    using G = gpu_kernels::Geometry<Model, phase.stage>;
    std::string name = names[phase.kind];
    if (phase.kind == gpu_kernels::Phase::load && Training)
      for (const Op& op : Program<Model>::ops)
        if (op.kind == OpKind::mask) calls.push_back({name});
    double multiply_adds = 0;
    const bool forward = phase.kind == gpu_kernels::Phase::forward;
    if (forward || phase.kind == gpu_kernels::Phase::weight || phase.kind == gpu_kernels::Phase::input)
      multiply_adds = static_cast<double>(G::source.multiply_adds()) * rows / (forward ? 1 : G::positions);
    if (phase.kind == gpu_kernels::Phase::forward || phase.kind == gpu_kernels::Phase::forward_sum ||
        phase.kind >= gpu_kernels::Phase::weight)
      name += " " + std::to_string(phase.stage);
    constexpr double outputs = Model::OutputRow::size;
    double instructions = 0;
    if (phase.kind == gpu_kernels::Phase::row) instructions = row_backward * outputs;
    if (forward && G::stage.source == Source::row) instructions = row_forward * outputs;
    if (phase.kind == gpu_kernels::Phase::loss && std::is_same_v<Loss, CrossEntropyLoss>)
      instructions = (row_forward + row_backward) * outputs;
    calls.push_back({name, multiply_adds, true, instructions});
  });
}

template <class K>
std::vector<Counts> count(const typename K::Args& args, int blocks, std::size_t shared_bytes, std::vector<Call> calls,
                          int busy = 0) {
  DeviceArray<std::byte> shared(shared_bytes);
  std::memset(shared.data(), 0xff, shared_bytes);
  Counter counter(std::move(calls), shared.data(), shared_bytes, std::max(blocks, busy));
  counting::CountingExecutor<K::wide> x(counter, 0, blocks, K::threads, shared.data());
  K::run(x, args);
  if (!counter.complete()) throw std::logic_error("fewer calls of items than were announced");
  return counter.phases();
}

double ratio(double all, double of) { return of > 0 ? all / of : 0; }

/// Phases of a step are divided by the number of `steps`.
void print(const char* kernel, const std::vector<Counts>& phases, int steps) {
  std::printf("%-12s %8s %6s | %8s %6s | %8s %6s %6s | %8s %6s %6s | %7s %9s %9s %9s  %s\n", kernel, "items", "idle %",
              "shared", "waves", "reads", "lines", "sect.", "writes", "lines", "sect.", "chain", "moving", "waiting",
              "cycles", "worst line of the source");
  double sum = 0;
  for (const Counts& c : phases) {
    const double n = c.in_step ? steps : 1;
    if (c.in_step) sum += c.cycles / n;
    std::printf("%-12s %8.0f %6.1f | %8.0f %6.2f | %8.0f %6.2f %6.2f | %8.0f %6.2f %6.2f | %7.0f %9.0f %9.0f %9.0f",
                c.phase.c_str(), c.items / n, 100 * c.idle(), c.shared / n, ratio(c.wavefronts, c.shared),
                c.reads.count / n, ratio(c.reads.lines, c.reads.count), ratio(c.reads.sectors, c.reads.count),
                c.writes.count / n, ratio(c.writes.lines, c.writes.count), ratio(c.writes.sectors, c.writes.count),
                c.chain / n, c.moves / n, c.waits / n, c.cycles / n);
    if (const counting::Line* worst = c.worst())
      std::printf("  %s:%u, %.0f x %.1f", worst->where.file, worst->where.line, worst->requests / n,
                  worst->cost / worst->requests);
    std::printf("\n");
  }
  std::printf("%-12s %.0f cycles, %.1f us\n\n", "  together", sum, sum / (counting::Model::gigahertz * 1e3));
}

/// The order of an epoch.
DeviceArray<std::uint32_t> in_any_order() {
  DeviceArray<std::uint32_t> order(rows_of_data);
  const Permutation permutation(rows_of_data, 1, 0);
  for (std::uint32_t i = 0; i < rows_of_data; ++i) order.data()[i] = static_cast<std::uint32_t>(permutation(i));
  return order;
}

/// All that a workload's kernels read.
template <class Model, class Element>
struct Inputs {
  workload::Data<Model, Element> data{rows_of_data};
  DeviceArray<Element> x = to_device(std::span<const Element>(data.x.values()));
  DeviceArray<int> labels = to_device(std::span<const int>(data.labels));
  DeviceArray<float> parameters = initial_values<Model>();
  DeviceArray<std::uint32_t> order = in_any_order();
  gpu_kernels::Epoch epoch{order.data(), {1, 0}};

  using Rows = gpu_kernels::Rows<Element, int, float>;
  Rows rows() {
    const Normalize normalize = data.set().normalize();
    return {x.data(), labels.data(), normalize.scale, normalize.shift};
  }
};

template <class Model, class Element, class Loss>
void count_pair(Inputs<Model, Element>& inputs, int batch) {
  using Data = typename Inputs<Model, Element>::Rows;
  using K = gpu_kernels::TrainTiles<Model, float, Data, Loss, false>;
  using Step = typename K::Step;
  constexpr int arena = Program<Model>::arena_size;
  typename K::Args args{};
  args.step.data = inputs.rows();
  args.step.epoch = &inputs.epoch;
  args.scale = 1.0f / static_cast<float>(batch);
  args.cut = gpu_kernels::Choose<Model, float, 0>::pair_cut(batch, shared_memory);
  args.parameters = inputs.parameters.data();
  DeviceArray<float> slots(static_cast<std::size_t>(args.cut.slot_count) * static_cast<std::size_t>(arena));
  DeviceArray<double> losses(static_cast<std::size_t>(args.cut.slot_count));
  DeviceArray<std::uint32_t> large(static_cast<std::size_t>(args.cut.slot_count));
  args.slot_gradients = slots.data();
  args.losses = losses.data();
  args.large = large.data();
  std::vector<Call> calls = staging_calls<Model, typename Step::Memory>();
  for (int t = args.cut.begin(0); t < args.cut.begin(1); ++t) {
    add_calls<Model, typename Step::List, true, Loss>(calls, args.cut.rows);
    calls.push_back({"losses"});
  }
  const std::size_t bytes = Step::Memory::bytes(args.cut.rows);
  std::printf("pair: %d blocks of %d rows, %zu KB of shared memory\n", args.cut.slot_count, args.cut.rows,
              bytes / 1024);
  print("TrainTiles", count<K>(args, args.cut.slot_count, bytes, std::move(calls)), 1);

  using Update = gpu_kernels::ApplyUpdate<SGD::Update<float>, 1>;
  DeviceArray<float> gradient(arena), state(arena);
  DeviceArray<double> loss(1);
  gpu_kernels::StepStatus status{};
  const auto sgd = SGD{.lr = 0.01, .momentum = 0.5}.template at<float>(1);
  typename Update::Args update{};
  update.sums = {slots.data(), losses.data(), args.cut.slot_count, arena};
  update.large = large.data();
  const int columns = Update::threads / update.sums.parts();
  update.blocks = std::clamp(divide_up(arena, columns), 1, 528);
  update.gradient = gradient.data();
  update.updates = &sgd;
  update.groups = 1;
  update.parameters = inputs.parameters.data();
  update.state = state.data();
  update.status = &status;
  update.losses = loss.data();
  update.places = 1;
  std::vector<Call> sums;
  for (int first = 0; first < arena; first += update.blocks * columns) {
    sums.push_back({"slots"});
    sums.push_back({"parts, update"});
  }
  sums.insert(sums.end(), {{"losses"}, {"loss"}});
  print("ApplyUpdate", count<Update>(update, update.blocks, Update::memory, std::move(sums)), 1);
}

template <class Model, class Element, class Loss>
void count_resident(Inputs<Model, Element>& inputs, int batch, double momentum) {
  using Data = typename Inputs<Model, Element>::Rows;
  using K = gpu_kernels::Resident<Model, float, Data, Loss, SGD::Update<float>, 1>;
  const int rows = gpu_kernels::Choose<Model, float, 1>::resident_cut(batch, shared_memory);
  std::vector<SGD::Update<float>> updates;
  for (int s = 0; s < steps_of_resident; ++s)
    updates.push_back(SGD{.lr = 0.01, .momentum = momentum}.template at<float>(s));
  DeviceArray<float> gradient(K::arena), state(K::arena);
  DeviceArray<double> losses(steps_of_resident);
  gpu_kernels::StepStatus status{};
  typename K::Args args{};
  args.step.data = inputs.rows();
  const auto size = static_cast<std::uint32_t>(rows_of_data), of_epoch = size / static_cast<std::uint32_t>(batch) + 1;
  const typename K::Member member{
      {size, static_cast<std::uint32_t>(batch), of_epoch, 0, steps_of_resident, {0, steps_of_resident}, &inputs.epoch},
      rows,
      updates.data(),
      inputs.parameters.data(),
      gradient.data(),
      state.data(),
      losses.data(),
      &status};
  args.members = &member;
  args.groups = 1;
  std::vector<Call> calls{{"fetch, once", 0, false}};
  for (int s = 0; s < steps_of_resident; ++s) {
    for (int begin = 0; begin < batch; begin += rows) {
      add_calls<Model, typename K::List, true, Loss>(calls, std::min(rows, batch - begin));
      calls.push_back({"losses"});
    }
    calls.insert(calls.end(), {{"finite"}, {"finite loss"}, {"update"}});
  }
  calls.push_back({"store, once", 0, false});
  const std::size_t bytes = K::Memory::bytes(rows);
  std::printf("resident: tiles of %d rows, %zu KB of shared memory\n", rows, bytes / 1024);
  const int busy = std::is_same_v<Model, W4> ? gpu_kernels::CostModel::blocks : 1;  // many networks at once
  print("Resident", count<K>(args, 1, bytes, std::move(calls), busy), steps_of_resident);
}

template <class Model, class Element>
void count_inference(Inputs<Model, Element>& inputs, int batch) {
  using K = gpu_kernels::InferTiles<Model, float, typename Inputs<Model, Element>::Rows>;
  using Pass = typename K::Pass;
  DeviceArray<float> outputs(static_cast<std::size_t>(batch * Program<Model>::output.size()));
  typename K::Args args{};
  args.step.data = inputs.rows();
  args.batch = batch;
  args.rows = std::min(Pass::Memory::rows_in(shared_memory), divide_up(batch, 4 * gpu_kernels::CostModel::blocks));
  args.parameters = inputs.parameters.data();
  args.outputs = outputs.data();
  std::vector<Call> calls = staging_calls<Model, typename Pass::Memory>();
  add_calls<Model, typename Pass::List, false>(calls, args.rows);
  calls.push_back({"outputs"});
  print("InferTiles", count<K>(args, divide_up(batch, args.rows), Pass::Memory::bytes(args.rows), std::move(calls)), 1);
}

const char* wanted = nullptr;

template <class Model, class Element, class Loss>
void workload_of(const char* name, int batch, double momentum = 0) {
  if (wanted != nullptr && std::strcmp(wanted, name) != 0) return;
  using Choose = gpu_kernels::Choose<Model, float, 1>;
  std::printf("== %s, batch %d: plan %s\n", name, batch, name_of(Choose::plan(batch, shared_memory)));
  Inputs<Model, Element> inputs;
  if constexpr (Choose::pair_rows(shared_memory) >= 1) count_pair<Model, Element, Loss>(inputs, batch);
  if constexpr (Choose::resident_rows(shared_memory) >= 1)
    count_resident<Model, Element, Loss>(inputs, batch, momentum);
  count_inference<Model, Element>(inputs, batch);
}

}  // namespace

int main(int count, char** values) {
  if (count > 1) wanted = values[1];
  workload_of<W1, std::uint8_t, NLLLoss>("W1", 200, 0.5);
  workload_of<W2n4, float, CrossEntropyLoss>("W2n4", 100);
  workload_of<W2n6, float, CrossEntropyLoss>("W2n6", 100);
  workload_of<W2n8, float, CrossEntropyLoss>("W2n8", 100);
  workload_of<W3Mlp, std::uint8_t, CrossEntropyLoss>("W3Mlp", 128);
  workload_of<W3Cnn, std::uint8_t, CrossEntropyLoss>("W3Cnn", 128);
  workload_of<W4, float, CrossEntropyLoss>("W4b8", 8);
  workload_of<W4, float, CrossEntropyLoss>("W4", 32);
  workload_of<W4, float, CrossEntropyLoss>("W4b64", 64);
}
