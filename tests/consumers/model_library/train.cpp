// SPDX-License-Identifier: MIT
// train FOLDER: weights, and as plain floats rows with what the network gives for them.
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>

#include "digits.hpp"

int main(int, char** argv) {
  const std::string folder = argv[1];
  const sinter::Network<Digits> net{{.seed = 3}};
  save(net, folder + "/digits.safetensors");
  sinter::Tensor<float, Digits::InputRow> x(150);
  for (std::size_t i = 0; i < x.values().size(); ++i) x.values()[i] = static_cast<float>(i * 7919 % 1000) / 500 - 1;
  sinter::write_file(folder + "/x", std::as_bytes(x.values()));
  sinter::write_file(folder + "/y", std::as_bytes(predict(net, x).values()));
}
