// SPDX-License-Identifier: MIT
// Where a training epoch of W1 goes on one thread of the host: a line for each planned kernel. --data DIR: full MNIST.
#include <cstdio>
#include <exception>
#include <sinter/sinter.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "support/peak.hpp"
#include "support/w1.hpp"

namespace {

using namespace bench;

using Plan = TilePlan<W1, float, isa::Native>;
using Tile = host_kernels::Tile<Plan, true>;
constexpr int lanes = Plan::lanes, stage_count = Plan::stage_count;

/// What was done to one tile: time over all of them, flops and bytes of one.
struct Line {
  std::string name;
  double flops = 0, bytes = 0, seconds = 0;
};

/// Bytes that lie in a place of the tile, borders left out.
constexpr double bytes_of(host_kernels::Place place) {
  return place.offset >= 0 ? static_cast<double>(place.dims.size()) * lanes * sizeof(float) : 0;
}

double parameter_bytes(const Op& op) {
  double bytes = 0;
  for (const int i : {op.weight, op.bias})
    if (i >= 0) bytes += sizeof(float) * static_cast<double>(Plan::parameter(i).size);
  return bytes;
}

/// What the riders of a stage keep for backward or read there.
double kept_bytes(int s) {
  double bytes = 0;
  for (int i = Plan::stage(s).first; i < Plan::stage(s).last; ++i) {
    const auto argmax = Tile::memory_plan.argmax[static_cast<std::size_t>(i)];
    bytes += bytes_of(Tile::saved(i)) + bytes_of(Tile::mask(i)) + bytes_of(argmax);
  }
  return bytes;
}

std::string name_of(int s, const char* direction) {
  std::string name = direction;
  for (int i = Plan::stage(s).first; i < Plan::stage(s).last; ++i)
    name += (i == Plan::stage(s).first ? " " : ", ") + std::string(Plan::op(i).name);
  return name;
}

class Profile {
 public:
  Profile() {
    for (int s = 0; s < stage_count; ++s) {
      const Op& op = Plan::op(Plan::stage(s).first);
      const double flops = 2.0 * lanes * static_cast<double>(op.multiply_adds());
      const double in = bytes_of(Tile::input(s)), out = bytes_of(Tile::output(s));
      forward_.push_back({name_of(s, "forward "), flops, in + out + kept_bytes(s) + parameter_bytes(op)});
      // Reads dy, x and W; adds to dW; writes dx and reads what the riders kept, unless it is the first.
      const int before = Plan::Cut::producer(Plan::stage(s).input);
      const double behind = before < 0 ? 0 : bytes_of(Tile::gradient_of(before)) + kept_bytes(before);
      backward_.push_back({name_of(s, "backward"), (before < 0 ? 1 : 2) * flops,
                           in + bytes_of(Tile::gradient_of(s)) + 3 * parameter_bytes(op) + behind});
    }
    const double image = static_cast<double>(W1::input_dims.size());
    load_.bytes = image * lanes * (1 + 3 * sizeof(float));
  }

  void run(const Mnist::Data& data, std::size_t batch) {
    Network<W1> net;
    AlignedArray<float> memory(static_cast<std::size_t>(Tile::memory_plan.packs) * lanes);
    AlignedArray<float> gradient(static_cast<std::size_t>(Program<W1>::arena_size) + 64);
    AlignedArray<float> left(static_cast<std::size_t>(host_kernels::Operands<Plan>::stride));
    Tile tile{memory.data(), net.data(), gradient.data()};
    tile.operands = left.data();
    using View = inputs_of<Mnist::Data>;
    const BatchInputs<View> inputs{data.inputs(), {}, data.normalize()};
    const BatchTargets<targets_of<Mnist::Data>> targets{data.targets(), {}};
    const std::size_t per_slot = batch / 8 / lanes * lanes;  // as in a step: eight slots to a batch

    for (std::size_t first = 0; first + lanes <= data.size(); first += lanes) {
      if (first % per_slot == 0)
        timed(slot_, [&] {
          host_kernels::begin_step(tile);
          host_kernels::begin_slot(tile);
        });
      std::uint32_t rows[lanes];
      for (std::size_t i = 0; i < lanes; ++i) rows[i] = static_cast<std::uint32_t>(first + i);
      timed(masks_, [&] { host_kernels::draw_masks(tile, rows, MaskKey{1, 0}); });
      timed(load_, [&] { host_kernels::load_tile(tile, inputs, first, data.size()); });
      unroll<stage_count>([&](auto s) {
        constexpr int i = decltype(s)::value;
        timed(forward_[i], [&] { host_kernels::forward_stage<Tile, i>(tile); });
      });
      timed(loss_, [&] { host_kernels::loss_tile(tile, NLLLoss{}, targets, first, data.size(), 0.005f); });
      unroll<stage_count>([&](auto s) {
        constexpr int i = stage_count - 1 - decltype(s)::value;
        timed(backward_[i], [&] { host_kernels::backward_stage<Tile, i>(tile); });
      });
      if ((first + lanes) % per_slot == 0) timed(slot_, [&] { host_kernels::end_slot(tile); });
      ++tiles_;
    }
  }

  void print() const {
    const double epoch = 60000.0 / lanes, peak_rate = peak(1);
    std::printf("W1 on %s, 1 thread, peak %.1f GFLOP/s; milliseconds for an epoch of 60,000 images,\n",
                isa::Native::name, peak_rate);
    std::printf("flops as if no zeros were skipped, bytes that a tile of %d images reads and writes at least\n\n",
                lanes);
    std::printf("%8s %9s %7s %9s  %s\n", "ms", "GFLOP/s", "of peak", "bytes", "kernel");
    double seconds = 0, flops = 0;
    const auto line = [&](const Line& l) {
      const double each = l.seconds / static_cast<double>(tiles_);
      std::printf("%8.1f", each * epoch * 1e3);
      if (l.flops > 0)
        std::printf(" %9.1f %5.1f %%", l.flops / each * 1e-9, l.flops / each * 1e-7 / peak_rate);
      else
        std::printf(" %9s %7s", "", "");
      if (l.bytes > 0)
        std::printf(" %9.0f", l.bytes);
      else
        std::printf(" %9s", "");
      std::printf("  %s\n", l.name.c_str());
      seconds += each;
      flops += l.flops;
    };
    line(masks_);
    line(load_);
    for (const Line& l : forward_) line(l);
    line(loss_);
    for (int s = stage_count - 1; s >= 0; --s) line(backward_[static_cast<std::size_t>(s)]);
    line(slot_);
    std::printf("%8.1f %9.1f %5.1f %% %9s  all\n", seconds * epoch * 1e3, flops / seconds * 1e-9,
                flops / seconds * 1e-7 / peak_rate, "");
  }

 private:
  template <class Work>
  void timed(Line& line, Work&& work) {
    const double begin = monotonic_seconds();
    work();
    line.seconds += monotonic_seconds() - begin - clock_seconds_;
  }
  /// What a pair of looks at the clock takes.
  static double measure_clock() {
    double least = 1;
    for (int i = 0; i < 1000; ++i) {
      const double begin = monotonic_seconds(), end = monotonic_seconds();
      if (end - begin < least) least = end - begin;
    }
    return least;
  }
  std::vector<Line> forward_, backward_;
  Line masks_{"random masks of dropout"}, load_{"load and normalise"}, loss_{"loss"},
      slot_{"pack weights, unpack gradients"};
  double clock_seconds_ = measure_clock();
  long tiles_ = 0;
};

}  // namespace

int main(int count, char** values) try {
  const Mnist all = bench::digits(count, values);
  if (count > 1) {
    std::fprintf(stderr, "profile: \"%s\" is no option, expected --data DIR or nothing\n", values[1]);
    return 2;
  }
  Profile profile;
  profile.run(all.train, 200);
  profile.print();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
