// SPDX-License-Identifier: MIT
// Networks on a microcontroller: their outputs beside those of the machine that wrote the weights, the instructions of
// a forward pass, and the stack that it takes.
#include <bit>
#include <cmath>

#include "controller.hpp"
#include "controller_bytes.hpp"
#include "glyph.hpp"
#include "inputs.hpp"
#include "measure.hpp"
#include "models.hpp"
#include "picture.hpp"
#include "picture_bytes.hpp"
#include "sound.hpp"
#include "wanted.hpp"

namespace {

bool well = true;

/// The largest error of the outputs, in millionths, and whether they have the bits that are wanted.
template <std::size_t N>
void compare(const char* name, std::span<const float, N> y, const unsigned (&wanted)[N], float most) {
  float error = 0;
  bool same = true;
  for (std::size_t i = 0; i < N; ++i) {
    const float difference = y[i] - std::bit_cast<float>(wanted[i]);
    error = std::fmax(error, std::fabs(difference));
    if (!(std::fabs(difference) <= most)) well = false;
    same = same && std::bit_cast<unsigned>(y[i]) == wanted[i];
  }
  machine::print(name);
  machine::print(same ? ": the same bits" : ": an error of ");
  if (!same) {
    machine::print(static_cast<std::uint32_t>(error * 1e6f));
    machine::print(" millionths");
  }
  machine::print("\n");
  if (most == 0 && !same) well = false;
}

constexpr sinter::View<Controller> of_controller(controller);
constexpr sinter::View<Controller, sinter::Storage::int8> of_controller_bytes(controller_bytes);
constexpr sinter::View<Picture> of_picture(picture);
constexpr sinter::View<Picture, sinter::Storage::int8> of_picture_bytes(picture_bytes);
sinter::FixedWorkspace<Controller, 1> of_one;
sinter::FixedWorkspace<Picture, 1> pictures;
constexpr sinter::View<Glyph> of_glyph(glyph);
sinter::FixedWorkspace<Glyph, 1> glyphs;

template <class Model, class Net, std::size_t N>
void try_view(const char* name, const Net& net, sinter::FixedWorkspace<Model, 1>& workspace,
              const unsigned (&wanted)[N], float most) {
  static constexpr auto x = input<Model>();
  const auto forward = [&] { return net.forward(std::span(x), workspace); };
  machine::measure(name, forward);
  compare(name, forward(), wanted, most);
}

}  // namespace

int main() {
  constexpr float exact = wanted_with_fma ? 0 : 1e-6f;
  try_view("controller", of_controller, of_one, controller_wanted, exact);
  try_view("controller in int8", of_controller_bytes, of_one, controller_wanted, 2e-2f);
  try_view("picture", of_picture, pictures, picture_wanted, exact);
  try_view("picture in int8", of_picture_bytes, pictures, picture_wanted, 5e-2f);
  try_view("glyph", of_glyph, glyphs, glyph_wanted, exact);

  static const sinter::StreamWeights<Sound> weights(sinter::View<Sound>{sound});
  static sinter::Stream<Sound> stream(weights);
  static constexpr auto x = input<Sound>();
  static float y[x.size()];
  const auto push = [&] {
    stream.reset();
    for (std::size_t i = 0; i < x.size(); i += 8) stream.push(std::span(x).subspan(i, 8), std::span(y).subspan(i, 8));
  };
  machine::measure("sound", push);
  compare("sound", std::span<const float, x.size()>(y), sound_wanted, exact);
  return well ? 0 : 1;
}
