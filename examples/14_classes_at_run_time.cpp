// SPDX-License-Identifier: MIT
// The number of classes is known only at run time, from a table. The program trains and saves the compiled network with that
// many outputs; loading the file selects the same network again.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

#include "support/arguments.hpp"

#include <sinter/io.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

// [networks]
template <int Classes>
struct Net : Sequential<Input<2>, Linear<32>, Tanh, Linear<32>, Tanh, Linear<Classes>> {};
using AnyNet = AnyOf<Net<2>, Net<3>, Net<4>>;
// [/networks]

/// Writes a table of intertwined spirals, an arm for each class, so that the example runs without a file.
void write_spirals(const std::string& path, int classes) {
  std::string text = "x,y,class\n";
  for (int i = 0; i < 200 * classes; ++i) {
    const double t = 0.005 * (i / classes), angle = 6.2832 * i / classes + 4 * t;
    const double noise = 0.03 * std::sin(12.9898 * i);
    char line[96];
    std::snprintf(line, sizeof line, "%.4f,%.4f,arm %d\n", t * std::cos(angle) + noise, t * std::sin(angle) - noise,
                  i % classes);
    text += line;
  }
  write_file(path, text);
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  std::string path = arguments.get("--csv", "", "a table with the columns x, y and class; by default one is made");
  const int classes = arguments.get("--classes", 3, 1, "classes of the table that is made");
  const int epochs = arguments.get("--epochs", 60, 1, "times through the rows");
  arguments.finish();

  if (path.empty()) write_spirals(path = "spirals.csv", classes);
  const CsvTable table = read_csv(path);
  const auto x = table.numbers({"x", "y"});
  const auto [labels, names] = table.classes("class");
  AnyNet net({.outputs = static_cast<int>(names.size())}, {.seed = 1});
  const auto rows = dataset(x, labels);
  const auto parts = stratified_split(rows, 0.2, 1);
  fit(net, parts.train, CrossEntropyLoss{}, Adam{.lr = 0.01}, {.epochs = epochs});
  save(net, "spirals.safetensors", {.classes = names});

  AnyNet loaded(0);  // whichever it is
  const auto about = load(loaded, "spirals.safetensors").about;
  std::printf("%zu rows of %zu classes: network %zu of %zu, with %d outputs\n", table.rows(), names.size(),
              loaded.index(), AnyNet::count, loaded.output_size());
  const auto y = predict(loaded, parts.held_out);
  int answer = 0;
  for (int k = 1; k < loaded.output_size(); ++k)
    if (y(0, k) > y(0, answer)) answer = k;
  std::printf("held out: %.1f %% right; the first row is taken for %s\n", 100 * score(loaded, parts.held_out),
              about.classes[static_cast<std::size_t>(answer)].c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
