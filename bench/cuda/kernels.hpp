// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "call.hpp"
#include "workloads.hpp"

/// The kernels that train the workloads and answer, with all that they read: a launch of each, for what runs them. `On` has
///   Array<T>                memory for kernels, constructed from a size (zeros) or from the host's numbers in a span
///   run<K>(launch, args)    a launch of kernel K
///   members(n)              how many of n networks side by side it runs
///   wanted, name            the only workload that it wants, or null; the one at work
namespace workload {
using counting::Call;

constexpr std::size_t shared_memory = 227 * 1024;
constexpr int rows_of_data = 1000, steps_of_resident = 3;

struct Launch {
  const char* kernel;
  int blocks;
  std::size_t shared_bytes;
  std::vector<Call> calls;  // what `items` does in block 0, call after call
  int steps = 1;            // of training
  int busy = 0;             // blocks at work at the same time, where that is more
};

/// Of `times` networks, all the same.
template <class Model>
std::vector<float> initial_values(std::size_t times = 1) {
  const auto arena = static_cast<std::size_t>(Program<Model>::arena_size);
  std::vector<float> values(times * arena);
  for (const Parameter& p : Program<Model>::parameters)
    initialize(std::span<float>(values.data() + p.offset, static_cast<std::size_t>(p.size)), Initialization::pytorch,
               p.is_bias, p.fan_in, p.fan_out, 1, p.stream);
  for (std::size_t n = 1; n < times; ++n) std::copy_n(values.data(), arena, values.data() + n * arena);
  return values;
}

/// The calls of `items` before the tiles of a block, where weights are staged.
template <class Model, class Memory>
std::vector<Call> staging_calls() {
  std::vector<Call> calls;
  if constexpr (Memory::staged > 0)
    for (int s = 0; s < gpu_kernels::Stages<Model>::count; ++s) {
      const Op& source = gpu_kernels::Stages<Model>::op(gpu_kernels::Stages<Model>::at(s).first);
      if (source.kind == OpKind::product && !source.whole) calls.push_back({"stage " + std::to_string(s)});
    }
  return calls;
}

/// Instructions of LogSoftmax and of its adjoint for each output, counted in sm_90 SASS; where threads share a row, of
/// each exponential, and of LogSoftmax and CrossEntropyLoss from these, counted in PTX.
constexpr double row_forward = 35, row_backward = 28.5, row_from = 8, loss_from = 15;

/// The calls of `items` in a list of phases.
template <class Model, class List, bool Training, class Loss = void>
void add_calls(std::vector<Call>& calls, int rows) {
  constexpr const char* names[] = {"choose",      "load",    "moment_parts", "moments",    "batch_moments",
                                   "step_inputs", "forward", "forward_sum",  "loss",       "output",
                                   "slope_parts", "slopes",  "batch_slopes", "steps_back", "weight",
                                   "weight_sum",  "row",     "input",        "input_sum"};
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
    if constexpr (G::stage.source == Source::row) {
      using Function = gpu_kernels::RowFunction<Model, phase.stage, true, List::expected_rows>;
      if (forward && Function::shared) calls.push_back({name, 0, true, row_forward});
      if (forward) instructions = (Function::shared ? row_from : row_forward) * outputs;
      if (phase.kind == gpu_kernels::Phase::input && Function::shared) instructions = row_backward;
    }
    if (phase.kind == gpu_kernels::Phase::loss && std::is_same_v<Loss, CrossEntropyLoss>) {
      const bool shared = gpu_kernels::shares_rows(List::expected_rows, 1, Model::OutputRow::size);
      if (shared) calls.push_back({name, 0, true, row_forward});
      instructions = (shared ? loss_from : row_forward + row_backward) * outputs;
    }
    calls.push_back({name, multiply_adds, true, instructions});
  });
}

/// The order of an epoch.
inline std::vector<std::uint32_t> in_any_order() {
  std::vector<std::uint32_t> order(rows_of_data);
  const Permutation permutation(rows_of_data, 1, 0);
  for (std::uint32_t i = 0; i < rows_of_data; ++i) order[i] = static_cast<std::uint32_t>(permutation(i));
  return order;
}

template <class On, class T>
typename On::template Array<T> one(const T& value) {
  return typename On::template Array<T>(std::span<const T>(&value, 1));
}

/// All that a workload's kernels read.
template <class On, class Model, class Element>
struct Inputs {
  template <class T>
  using Array = typename On::template Array<T>;

  workload::Data<Model, Element> data{rows_of_data};
  Array<Element> x{std::span<const Element>(data.x.values())};
  Array<int> labels{std::span<const int>(data.labels)};
  Array<float> parameters{std::span<const float>(initial_values<Model>())};
  Array<std::uint32_t> order{std::span<const std::uint32_t>(in_any_order())};
  Array<gpu_kernels::Epoch> epoch = one<On>(gpu_kernels::Epoch{order.data(), {1, 0}});

  using Rows = gpu_kernels::Rows<Element, int, float>;
  Rows rows() {
    const Normalize normalize = data.set().normalize();
    return {x.data(), labels.data(), normalize.scale, normalize.shift};
  }
};

template <class Loss, class On, class Model, class Element>
void run_pair(On& on, Inputs<On, Model, Element>& inputs, int batch) {
  using All = Inputs<On, Model, Element>;
  using K = gpu_kernels::TrainTiles<Model, float, typename All::Rows, Loss, false>;
  using Step = typename K::Step;
  constexpr int arena = Program<Model>::arena_size;
  typename K::Args args{};
  args.step.data = inputs.rows();
  args.step.epoch = inputs.epoch.data();
  args.scale = 1.0f / static_cast<float>(batch);
  args.cut = gpu_kernels::Choose<Model, float, 0>::pair_cut(batch, shared_memory);
  args.parameters = inputs.parameters.data();
  const auto count = static_cast<std::size_t>(args.cut.slot_count);
  typename All::template Array<float> slots(count * static_cast<std::size_t>(arena));
  typename All::template Array<double> losses(count);
  typename All::template Array<std::uint32_t> large(count);
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
  on.template run<K>({"TrainTiles", args.cut.slot_count, bytes, std::move(calls)}, args);

  using Update = gpu_kernels::ApplyUpdate<SGD::Update<float>, 1>;
  typename All::template Array<float> gradient(arena), state(arena);
  typename All::template Array<double> loss(1);
  typename All::template Array<gpu_kernels::StepStatus> status(1);
  auto sgd = one<On>(SGD{.lr = 0.01, .momentum = 0.5}.template at<float>(1));
  typename Update::Args update{};
  update.sums = {slots.data(), losses.data(), args.cut.slot_count, arena};
  update.large = large.data();
  const int columns = Update::threads / update.sums.parts();
  update.blocks = std::clamp(divide_up(arena, columns), 1, 528);
  update.gradient = gradient.data();
  update.updates = sgd.data();
  update.groups = 1;
  update.parameters = inputs.parameters.data();
  update.state = state.data();
  update.status = status.data();
  update.losses = loss.data();
  update.kept_losses = 1;
  std::vector<Call> sums;
  for (int first = 0; first < arena; first += update.blocks * columns) {
    sums.push_back({"slots"});
    sums.push_back({"parts, update"});
  }
  on.template run<Update>({"ApplyUpdate", update.blocks + 1, Update::memory, std::move(sums)}, update);
}

/// `nets` side by side, with the same weights and rows.
template <class Loss, class On, class Model, class Element>
void run_resident(On& on, Inputs<On, Model, Element>& inputs, int batch, double momentum, int nets) {
  using All = Inputs<On, Model, Element>;
  using K = gpu_kernels::Resident<Model, float, typename All::Rows, Loss, SGD::Update<float>, 1>;
  const int rows = gpu_kernels::Choose<Model, float, 1>::resident_cut(batch, shared_memory);
  constexpr std::size_t steps = steps_of_resident, arena = K::arena;
  const std::size_t made = on.members(nets);
  std::vector<SGD::Update<float>> of_steps;
  for (std::size_t s = 0; s < steps; ++s)
    of_steps.push_back(SGD{.lr = 0.01, .momentum = momentum}.template at<float>(static_cast<long>(s)));
  typename All::template Array<SGD::Update<float>> updates{std::span<const SGD::Update<float>>(of_steps)};
  typename All::template Array<float> parameters{std::span<const float>(initial_values<Model>(made))};
  typename All::template Array<float> gradient(made * arena), state(made * arena);
  typename All::template Array<double> losses(made * steps);
  typename All::template Array<gpu_kernels::StepStatus> status(made);
  std::vector<typename K::Member> of_networks;
  gpu_kernels::StepRange range{};
  range.size = static_cast<std::uint32_t>(rows_of_data);
  range.batch = static_cast<std::uint32_t>(batch);
  range.of_epoch = range.size / range.batch + 1;
  range.steps = steps_of_resident;
  range.changes = {0, steps_of_resident};
  range.epochs = inputs.epoch.data();
  for (std::size_t m = 0; m < made; ++m)
    of_networks.push_back({range, rows, updates.data(), parameters.data() + m * arena, gradient.data() + m * arena,
                           state.data() + m * arena, losses.data() + m * steps, status.data() + m});
  typename All::template Array<typename K::Member> members{std::span<const typename K::Member>(of_networks)};
  typename K::Args args{};
  args.step.data = inputs.rows();
  args.members = members.data();
  args.groups = 1;
  std::vector<Call> calls{{"fetch, once", 0, false}};
  for (std::size_t s = 0; s < steps; ++s) {
    for (int begin = 0; begin < batch; begin += rows) {
      add_calls<Model, typename K::List, true, Loss>(calls, std::min(rows, batch - begin));
      calls.push_back({"losses"});
    }
    calls.insert(calls.end(), {{"finite"}, {"finite loss"}, {"update"}});
  }
  calls.push_back({"store, once", 0, false});
  const std::size_t bytes = K::Memory::bytes(rows);
  std::printf("resident: %d networks, tiles of %d rows, %zu KB of shared memory\n", nets, rows, bytes / 1024);
  on.template run<K>({"Resident", static_cast<int>(made), bytes, std::move(calls), steps_of_resident, nets}, args);
}

template <class On, class Model, class Element>
void run_inference(On& on, Inputs<On, Model, Element>& inputs, int batch) {
  using All = Inputs<On, Model, Element>;
  using K = gpu_kernels::InferTiles<Model, float, typename All::Rows>;
  using Pass = typename K::Pass;
  typename All::template Array<float> outputs(static_cast<std::size_t>(batch * Program<Model>::output.size()));
  typename K::Args args{};
  args.step.data = inputs.rows();
  args.batch = batch;
  args.rows = std::min(Pass::Memory::rows_in(shared_memory), divide_up(batch, 4 * gpu_kernels::CostModel::blocks));
  args.parameters = inputs.parameters.data();
  args.outputs = outputs.data();
  std::vector<Call> calls = staging_calls<Model, typename Pass::Memory>();
  add_calls<Model, typename Pass::List, false>(calls, args.rows);
  calls.push_back({"outputs"});
  on.template run<K>({"InferTiles", divide_up(batch, args.rows), Pass::Memory::bytes(args.rows), std::move(calls)},
                     args);
}

template <class Model, class Element, class Loss, class On>
void run_workload(On& on, const char* name, int batch, double momentum = 0, int nets = 1) {
  if (on.wanted != nullptr && std::strcmp(on.wanted, name) != 0) return;
  using Choose = gpu_kernels::Choose<Model, float, 1>;
  on.name = name;
  std::printf("== %s, batch %d: plan %s\n", name, batch, name_of(Choose::plan(batch, shared_memory)));
  Inputs<On, Model, Element> inputs;
  if constexpr (Choose::pair_rows(shared_memory) >= 1) run_pair<Loss>(on, inputs, batch);
  if constexpr (Choose::resident_rows(shared_memory) >= 1) run_resident<Loss>(on, inputs, batch, momentum, nets);
  run_inference(on, inputs, batch);
}

/// Those whose step is predicted in bench/results. SINTER_ONE_WORKLOAD: the smallest alone, to see whether this compiles.
template <class On>
void run_workloads(On& on) {
  run_workload<W2n4, float, CrossEntropyLoss>(on, "W2n4", 100);
#if !defined(SINTER_ONE_WORKLOAD)
  constexpr int many = gpu_kernels::CostModel::blocks;
  run_workload<W1, std::uint8_t, NLLLoss>(on, "W1", 200, 0.5);
  run_workload<W2n6, float, CrossEntropyLoss>(on, "W2n6", 100);
  run_workload<W2n8, float, CrossEntropyLoss>(on, "W2n8", 100);
  run_workload<W3Mlp, std::uint8_t, CrossEntropyLoss>(on, "W3Mlp", 128);
  run_workload<W3Cnn, std::uint8_t, CrossEntropyLoss>(on, "W3Cnn", 128);
  run_workload<W4, float, CrossEntropyLoss>(on, "W4b8", 8, 0, many);
  run_workload<W4, float, CrossEntropyLoss>(on, "W4", 32, 0, many);
  run_workload<W4, float, CrossEntropyLoss>(on, "W4b64", 64, 0, many);
#endif
}

}  // namespace workload
