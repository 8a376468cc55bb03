// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <sinter/sinter.hpp>
#include <string>
#include <vector>

#include "bandwidth.hpp"
#include "peak.hpp"
#include "timed.hpp"

namespace bench {

/// What a network's plan has its kernels do. Bytes are those that a kernel reads and writes at least, borders of images
/// left out: of activations for a tile of samples, of parameters for a call.
template <class Model>
struct Kernels {
  using Plan = sinter::internal::TilePlan<Model, float, Timed>;
  using Tile = sinter::internal::host_kernels::Tile<Plan, true>;
  using Op = sinter::internal::Op;
  static constexpr int stage_count = Plan::stage_count, lanes = Plan::lanes;
  static_assert(stage_count <= most_stages);

  static double bytes_of(sinter::internal::host_kernels::Place place) {
    return place.offset >= 0 ? static_cast<double>(place.dims.size()) * lanes * sizeof(float) : 0;
  }
  static const Op& source(int s) { return Plan::source(s); }
  template <class F>
  static double over_ops(int s, F&& f) {
    double sum = 0;
    for (int i = Plan::stage(s).first; i < Plan::stage(s).last; ++i) sum += f(i, Plan::op(i));
    return sum;
  }
  static double flops(int s) {
    return over_ops(s, [](int, const Op& op) { return 2.0 * static_cast<double>(op.multiply_adds()); });
  }
  static double parameters(int s) {
    return over_ops(s, [](int, const Op& op) {
      double bytes = 0;
      for (const int i : {op.weight, op.bias})
        if (i >= 0) bytes += sizeof(float) * static_cast<double>(Plan::parameter(i).size);
      return bytes;
    });
  }
  static double inputs(int s) {
    return over_ops(s, [s](int, const Op& op) {
      double bytes = 0;
      for (int k = 0; k < op.input_count; ++k)
        if (op.inputs[k] != Plan::stage(s).output) bytes += bytes_of(Tile::value(op.inputs[k]));
      return bytes;
    });
  }
  static double output(int s) { return bytes_of(Tile::output(s)); }
  static double gradient(int s) { return bytes_of(Tile::gradient_of(s)); }
  /// What the riders of a stage keep for backward or read there.
  static double kept(int s) {
    return over_ops(s, [](int i, const Op&) {
      const auto argmax = Tile::memory_plan.argmax[static_cast<std::size_t>(i)];
      return bytes_of(Tile::saved(i)) + bytes_of(Tile::mask(i)) + bytes_of(argmax);
    });
  }
  static bool wants_input_gradient(int s) { return Plan::Cut::wants_input_gradient(s); }
  /// The gradients that a stage gives to those that made its inputs, through their riders.
  static double given(int s) {
    double bytes = 0;
    for (int k = 0; k < source(s).input_count; ++k) {
      const int before = Plan::Cut::producer(source(s).inputs[k]);
      if (before >= 0 && wants_input_gradient(s)) bytes += gradient(before) + kept(before);
    }
    return bytes;
  }
  static double masks() {
    double bytes = 0;
    for (int i = 0; i < Plan::op_count; ++i) bytes += bytes_of(Tile::mask(i));
    return bytes;
  }
  static std::string name(const char* direction, int s) {
    std::string text = direction;
    for (int i = Plan::stage(s).first; i < Plan::stage(s).last; ++i) {
      text += i == Plan::stage(s).first ? " " : ", ";
      sinter::internal::plan_text::add_op(text, Plan::op(i));
    }
    return text;
  }

  /// Bytes accessed between two uses of a tile's memory: its own and the parameters with their gradients, if a tile
  /// runs forward and backward at once, and else those of all tiles.
  static double gone_through(std::size_t tiles) {
    const bool at_once = sinter::internal::Schedule<typename Plan::Cut>::count == 1 && !Plan::layered;
    const double own = static_cast<double>(Tile::memory_plan.packs) * lanes * sizeof(float);
    return own * (at_once ? 1.0 : static_cast<double>(tiles)) + (at_once ? 2 : 1) * arena();
  }
  static constexpr double arena() { return sizeof(float) * static_cast<double>(Plan::Ops::arena_size); }
};

/// A line of the table, of a step.
struct Line {
  std::string name;
  double seconds = 0, flops = 0, bytes = 0, gone_through = 0;
};

inline void print_head() {
  std::printf("%10s %6s %9s %8s %10s %8s %11s  %-10s %s\n", "us", "share", "GFLOP/s", "of peak", "KB", "GB/s",
              "of its peak", "bound by", "kernel");
}
inline void print(const Line& line, double step_seconds) {
  const double rate = line.flops / line.seconds * 1e-9, of_peak = rate / peak(1);
  const double traffic = line.bytes / line.seconds * 1e-9,
               of_bandwidth = line.bytes > 0 ? traffic / bandwidth(line.gone_through) : 0;
  std::printf("%10.2f %4.1f %%", line.seconds * 1e6, 100 * line.seconds / step_seconds);
  line.flops > 0 ? std::printf(" %9.1f %6.1f %%", rate, 100 * of_peak) : std::printf(" %9s %8s", "", "");
  line.bytes > 0 ? std::printf(" %10.1f %8.1f %9.1f %%", line.bytes / 1024, traffic, 100 * of_bandwidth)
                 : std::printf(" %10s %8s %11s", "", "", "");
  const double larger = std::max(of_peak, of_bandwidth);
  const char* bound = larger == 0 ? "" : larger < 0.4 ? "neither" : of_peak > of_bandwidth ? "peak" : "bandwidth";
  std::printf("  %-10s %s\n", bound, line.name.c_str());
}

/// Trains a network on one thread for about `seconds`, and prints where the time of a step goes.
template <class Model, class Data, class Loss, class Optimizer>
void profile(const char* name, const Data& data, const Loss& loss, const Optimizer& optimizer, std::size_t batch,
             double seconds) {
  using namespace sinter::internal;
  using K = Kernels<Model>;
  using host_kernels::Part;
  batch = std::min(batch, data.size());
  const auto [all, look, steps] = time_steps<Model>(data, loss, optimizer, batch, seconds);
  long looks = 0;

  const std::size_t tiles = (batch + K::lanes - 1) / K::lanes;
  const double each = static_cast<double>(tiles), rows = static_cast<double>(batch);
  const double tile_memory = K::gone_through(tiles);
  const int states = uses_state(optimizer.template at<float>(1)) ? Optimizer::states : 0;
  const double arenas = K::arena() * (2 + states);
  std::vector<Line> lines;
  double measured = 0;
  // `of_tile` bytes for each tile of the batch, `of_call` for each call of the kernel.
  const auto add = [&](Part part, int s, const std::string& text, double flops, double of_tile, double of_call = 0,
                       double gone_through = 0) {
    const Spent& found = spent[static_cast<int>(part)][s];
    if (found.calls == 0) return;
    looks += found.calls;
    const double calls = static_cast<double>(found.calls) / static_cast<double>(steps);
    Line line{text, std::max(found.seconds / static_cast<double>(steps) - calls * look, 1e-12), flops,
              of_tile * each + of_call * calls, gone_through > 0 ? gone_through : tile_memory};
    measured += line.seconds;
    lines.push_back(std::move(line));
  };
  using Number = std::decay_t<decltype(data.inputs().row(0)[0])>;
  add(Part::masks, 0, "random masks of dropout", 0, K::masks());
  add(Part::load, 0, "load and normalise", 0,
      static_cast<double>(Model::input_dims.size()) * K::lanes * (sizeof(Number) + 3 * sizeof(float)));
  for (int s = 0; s < K::stage_count; ++s)
    add(Part::forward, s, K::name("forward", s), rows * K::flops(s), K::inputs(s) + K::output(s) + K::kept(s),
        K::parameters(s));
  add(Part::loss, 0, "loss", 0, K::output(K::stage_count - 1) + K::gradient(K::stage_count - 1));
  for (int s = K::stage_count - 1; s >= 0; --s) {
    const double read = K::inputs(s) + K::gradient(s), flops = rows * K::flops(s);
    add(Part::both_gradients, s, K::name("dW, dx ", s), (K::wants_input_gradient(s) ? 2 : 1) * flops,
        read + K::given(s), (K::wants_input_gradient(s) ? 3 : 2) * K::parameters(s));
    const bool left = K::Plan::of_batch(s);
    add(Part::weight_gradient, s, K::name(left ? "keep   " : "dW     ", s), left ? 0 : flops, (left ? 2 : 1) * read,
        left ? 0 : 2 * K::parameters(s));
    add(Part::input_gradient, s, K::name("dx     ", s), flops, K::gradient(s) + K::given(s), K::parameters(s));
  }
  for (int s = K::stage_count - 1; s >= 0; --s)
    if (const double panels = static_cast<double>(spent[static_cast<int>(Part::batch_gradient)][s].calls); panels > 0)
      add(Part::batch_gradient, s, K::name("dW all ", s), rows * K::flops(s), K::inputs(s) + K::gradient(s),
          K::parameters(s) * static_cast<double>(steps) / panels);
  add(Part::batch_values, 0, "statistics of the batch, put together", 0, 0);
  add(Part::slot_sums, 0, "slots of gradients: clear, pack, add", 0, 0);
  add(Part::gradient_sum, 0, "the sum of the slots that threads leave", 0, 0);
  add(Part::soundness, 0, "would the weights be finite?", 0, 0, arenas, arenas);
  add(Part::update, 0, "optimizer", 0, 0, arenas + K::arena() * (1 + states), arenas);
  const double step_seconds = all - 2 * look * static_cast<double>(looks) / static_cast<double>(steps);

  std::printf(
      "%s, batch %zu, 1 thread, %s; peak %.1f GFLOP/s; plan %s, %.0f KB between two uses of a number: %.1f GB/s\n",
      name, batch, isa::Native::name, peak(1), K::Plan::layered ? "layer" : "tile", tile_memory / 1024,
      bandwidth(tile_memory));
  print_head();
  double flops = 0;
  for (const Line& line : lines) {
    if (line.flops > 0 || line.bytes > 0 || line.seconds > 0.001 * step_seconds) print(line, step_seconds);
    flops += line.flops;
  }
  print({"the rest: rows, looks for NaN, hand-over", std::max(step_seconds - measured, 1e-12), 0, 0, 0}, step_seconds);
  print({"all", step_seconds, flops, 0, 0}, step_seconds);
  std::printf("\n");
}

}  // namespace bench
