// SPDX-License-Identifier: MIT
// train FOLDER: weights, and as plain floats rows with what the network gives for them; the weights twice more with the scale of
// pixels, of all or by channel, which makes the same rows of those in `pixels`.
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>

#include "digits.hpp"

int main(int, char** argv) {
  const std::string folder = argv[1];
  const sinter::Network<Digits> net{{.seed = 3}};
  save(net, folder + "/digits.safetensors");
  save(net, folder + "/named.safetensors", {.classes = {"a", "b", "c", "d", "e", "f", "the \"last\" one"}});
  const sinter::Normalize scale{1.0f / 128, -1};  // exact in floats
  save(net, folder + "/scaled.safetensors", {.normalize = scale});
  save(net, folder + "/columns.safetensors", {.columns = sinter::NormalizeColumns{{128}, {128}}});
  sinter::Tensor<float, Digits::InputRow> x(150);
  sinter::Tensor<float, Digits::InputRow> pixels(150);
  for (std::size_t i = 0; i < x.values().size(); ++i) {
    pixels.values()[i] = static_cast<float>(i * 7919 % 256);
    x.values()[i] = pixels.values()[i] / 128 - 1;
  }
  struct Other : sinter::Sequential<sinter::Input<1, 12, 12>, sinter::Conv2d<6, 3>> {};
  save(sinter::Network<Other>{}, folder + "/other.safetensors");
  sinter::write_file(folder + "/x", std::as_bytes(x.values()));
  sinter::write_file(folder + "/pixels", std::as_bytes(pixels.values()));
  const auto y = predict(net, x);
  sinter::write_file(folder + "/y", std::as_bytes(y.values()));
}
