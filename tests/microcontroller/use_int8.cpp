// SPDX-License-Identifier: MIT
// Networks in 8 bits on a microcontroller: the outputs of some rows have the bits of the machine that wrote the
// constants. Prints the instructions of a forward pass of one row, and the stack that it takes.
#include <bit>

#include "branches_int8.hpp"
#include "controller_int8.hpp"
#include "glyph_int8.hpp"
#include "inputs.hpp"
#include "measure.hpp"
#include "models.hpp"
#include "wanted.hpp"

namespace {

bool well = true;

template <class Model, std::size_t N>
void try_view(const char* name, const sinter::QuantizedView<Model>& net, const unsigned (&wanted)[N]) {
  static sinter::QuantizedWorkspace<Model, 3> workspace;
  static constexpr auto x = input<Model, input_rows>(1);
  constexpr std::size_t inputs = x.size() / input_rows, outputs = N / input_rows;
  const auto forward = [&](std::size_t first, std::size_t rows) {
    return net.forward(sinter::TensorView<const float, typename Model::InputRow>{x.data() + first * inputs, rows},
                       workspace);
  };
  machine::measure(name, [&] { forward(0, 1); });
  bool same = true;
  for (std::size_t i = 0; i < input_rows; i += 3) {
    const auto y = forward(i, i + 3 > input_rows ? input_rows - i : 3);
    for (std::size_t k = 0; k < y.rows * outputs; ++k)
      same = same && std::bit_cast<unsigned>(y.data[k]) == wanted[i * outputs + k];
  }
  machine::print(name);
  machine::print(same ? ": the same bits\n" : ": other bits\n");
  well = well && same;
}

}  // namespace

int main() {
  machine::print(sinter::internal::int8::Native::name);
  machine::print("\n");
  try_view("controller", sinter::QuantizedView<Controller>(controller_int8), controller_int8_wanted);
  try_view("glyph", sinter::QuantizedView<Glyph>(glyph_int8), glyph_int8_wanted);
  try_view("branches", sinter::QuantizedView<Branches>(branches_int8), branches_int8_wanted);
  return well ? 0 : 1;
}
