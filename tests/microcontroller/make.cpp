// SPDX-License-Identifier: MIT
// make FOLDER: writes the weights of some networks as headers, and what the networks give on this machine.
#include <array>
#include <bit>
#include <cstddef>
#include <fstream>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>

#include "inputs.hpp"
#include "models.hpp"

namespace {

template <class Model>
void make(const std::string& folder, const std::string& name, std::ostream& wanted) {
  const sinter::Network<Model> net{{.seed = 6}};
  export_header(net, folder + "/" + name + ".hpp", {.name = name});
  export_header(net, folder + "/" + name + "_bytes.hpp", {.name = name + "_bytes", .storage = sinter::Storage::int8});
  const std::array<float, Model::InputRow::size> x = input<Model>();
  const auto y = predict(net, sinter::TensorView<const float, typename Model::InputRow>{x.data(), 1});
  wanted << "inline constexpr unsigned " << name << "_wanted[] = {";
  for (const float value : y.values()) wanted << std::bit_cast<unsigned>(value) << "u, ";
  wanted << "};\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  std::ofstream wanted(folder + "/wanted.hpp");
#if defined(__FMA__)
  wanted << "inline constexpr bool wanted_with_fma = true;\n";
#else
  wanted << "inline constexpr bool wanted_with_fma = false;\n";
#endif
  make<Controller>(folder, "controller", wanted);
  make<Picture>(folder, "picture", wanted);
  make<Sound>(folder, "sound", wanted);
}
