// SPDX-License-Identifier: MIT
// make FOLDER: writes the weights of some networks as headers, and what the networks give on this machine.
#include <array>
#include <bit>
#include <cstddef>
#include <fstream>
#include <sinter/int8.hpp>
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

/// In 8 bits.
template <class Model>
void make_int8(const std::string& folder, const std::string& name, std::ostream& wanted) {
  using Rows = sinter::TensorView<const float, typename Model::InputRow>;
  static constexpr auto rows = input<Model, 16>(), x = input<Model, input_rows>(1);
  const auto quantized = quantize(sinter::Network<Model>{{.seed = 6}}, Rows{rows.data(), 16});
  export_header(quantized, folder + "/" + name + "_int8.hpp", {.name = name + "_int8"});
  wanted << "inline constexpr unsigned " << name << "_int8_wanted[] = {";
  const auto y = predict(quantized, Rows{x.data(), input_rows});
  for (const float value : y.values()) wanted << std::bit_cast<unsigned>(value) << "u, ";
  wanted << "};\n";
}

/// Training of the last layer as the machine does it: numbers one at a time.
void make_training(const std::string& folder, std::ostream& wanted) {
  const sinter::Network<Features> features{{.seed = 7}};
  sinter::Network<Last, sinter::internal::HostFor<sinter::isa::Scalar>> last{{.seed = 8}};
  export_header(features, folder + "/features.hpp", {.name = "features"});
  export_header(last, folder + "/last.hpp", {.name = "last"});
  sinter::Trainer trainer{last, sinter::CrossEntropyLoss{}, sinter::Adam{.lr = 0.01}};
  wanted << "inline constexpr unsigned losses_wanted[] = {";
  for (std::size_t step = 0; step < training_steps; ++step) {
    const auto x = input<Features, training_rows>(step);
    const auto seen = predict(features, sinter::TensorView<const float, Features::InputRow>{x.data(), training_rows});
    const float loss = trainer.step(seen, labels_of(x));
    wanted << std::bit_cast<unsigned>(loss) << "u, ";
  }
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
  make<Glyph>(folder, "glyph", wanted);
  make_int8<Controller>(folder, "controller", wanted);
  make_int8<Glyph>(folder, "glyph", wanted);
  make_int8<Branches>(folder, "branches", wanted);
  make_training(folder, wanted);
}
