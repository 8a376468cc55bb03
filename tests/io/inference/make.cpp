// SPDX-License-Identifier: MIT
// make FOLDER: writes weights as headers and packed, and what the network gives, for use.cpp.
#include <bit>
#include <fstream>
#include <sinter/io.hpp>
#include <string>

#include "model.hpp"
#include "sinter/sinter.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  const sinter::Network<Model> net{{.seed = 6}};
  export_header(net, folder + "/weights.hpp", {.name = "weights"});
  export_header(net, folder + "/halves.hpp", {.name = "halves", .storage = sinter::Storage::float16});
  export_header(net, folder + "/bytes.hpp", {.name = "bytes", .storage = sinter::Storage::int8});
  export_header(net, folder + "/panels.hpp", {.name = "panels", .storage = sinter::Storage::panels});
  sinter::save_packed(net, folder + "/weights.bin");

  sinter::Tensor<float, Model::InputRow> x(1);
  for (std::size_t i = 0; i < x.values().size(); ++i) x.values()[i] = static_cast<float>(i % 7) / 7;
  const auto y = predict(net, x);
  std::ofstream file(folder + "/wanted.hpp");
  file << "inline constexpr unsigned wanted[] = {";
  for (const float value : y.values()) file << std::bit_cast<unsigned>(value) << "u, ";
  file << "};\n";
}
