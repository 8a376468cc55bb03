// SPDX-License-Identifier: MIT
// A program with nothing but sinter/inference.hpp, compiled without exceptions, type information and threads.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <bit>
#include <cmath>
#include <cstdio>

#include "bytes.hpp"
#include "halves.hpp"
#include "model.hpp"
#include "panels.hpp"
#include "wanted.hpp"
#include "weights.hpp"

static_assert(sinter::parameter_bytes<Model> == sizeof weights);
static_assert(sinter::workspace_bytes<Model, 1> < 64 * 1024);
static_assert(sinter::stored_bytes<Model, sinter::Storage::float16> == sizeof halves);
static_assert(sinter::stored_bytes<Model, sinter::Storage::int8> == sizeof bytes);
static_assert(sinter::stored_bytes<Model, sinter::Storage::panels> == sizeof panels);
static_assert(sizeof bytes < sizeof halves && sizeof halves < sizeof weights);

static constexpr sinter::View<Model> net(weights);  // no code runs for it
static constexpr sinter::View<Model, sinter::Storage::int8> of_bytes(bytes);
static constexpr sinter::View<Model, sinter::Storage::float16> of_halves(halves);
static constexpr sinter::View<Model, sinter::Storage::panels> of_panels(panels);
static constinit sinter::Unpacked<Model> unpacked(bytes);
static sinter::FixedWorkspace<Model, 1> workspace;

// How far the outputs are from those that the network gave where it was trained.
template <class View>
static float off(const View& view, const float (&x)[Model::InputRow::size]) {
  const auto y = view.forward(std::span<const float, Model::InputRow::size>(x), workspace);
  float most = 0;
  for (std::size_t i = 0; i < y.size(); ++i) most = std::fmax(most, std::fabs(y[i] - std::bit_cast<float>(wanted[i])));
  return most;
}

int main(int, char** argv) {
  float x[Model::InputRow::size];
  for (int i = 0; i < Model::InputRow::size; ++i) x[i] = static_cast<float>(i % 7) / 7;
  const sinter::Unpacked<Model> from_halves(halves);

  const int file = open(argv[1], O_RDONLY);
  struct stat status{};
  if (file < 0 || fstat(file, &status) != 0) return 2;
  const auto size = static_cast<std::size_t>(status.st_size);
  const void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (mapped == MAP_FAILED) return 2;
  const sinter::View<Model> of_file(std::span(static_cast<const std::byte*>(mapped), size));

  const float exact = off(net, x), from_file = off(of_file, x), half = off(sinter::View<Model>(from_halves), x),
              byte = off(sinter::View<Model>(unpacked), x);
  const bool in_place = off(of_bytes, x) == byte && off(of_halves, x) == half && off(of_panels, x) == 0;
  const auto y = net.forward(std::span<const float, Model::InputRow::size>(x), workspace);
  const int best = sinter::predicted_class(y.data(), static_cast<int>(y.size()));
  bool largest = best >= 0;
  for (const float other : y) largest = largest && y[static_cast<std::size_t>(best)] >= other;
  std::printf("constant %g, mapped %g, halves %g, bytes %g\n", static_cast<double>(exact),
              static_cast<double>(from_file), static_cast<double>(half), static_cast<double>(byte));
  return exact == 0 && from_file == 0 && half > 0 && half < 1e-3f && byte > half && byte < 5e-2f && in_place && largest
             ? 0
             : 1;
}
