# SPDX-License-Identifier: MIT
"""What the tests of tools/from_nam.py and tools/from_rtneural.py share: a program that runs the networks they wrote as a whole, and as
streams in odd blocks."""
import subprocess

import numpy as np

from converted import built, check

PROGRAM = """// Loads what the script made; gives the outputs for a signal as a whole, and those of a stream after some silence.
#include <cstdio>
#include <cstring>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>
%s
template <class Model>
bool run(const std::string& path, std::size_t silence) {
  static sinter::Network<Model> net;
  const auto loaded = load(net, path + ".safetensors");
  if (!loaded.self_tested || !loaded.problem().empty()) return false;
  const auto floats = [&](const char* name) {
    const auto bytes = sinter::read_file(path + name);
    std::vector<float> x(bytes.size() / sizeof(float));
    std::memcpy(x.data(), bytes.data(), bytes.size());
    return x;
  };
  const auto y = predict(net, sinter::Tensor<float, typename Model::InputRow>(floats(".whole")));
  sinter::write_file(path + ".outputs", std::as_bytes(y.values()));

  static const sinter::StreamWeights<Model> weights(net);
  static sinter::Stream<Model> stream(weights);
  constexpr std::size_t inputs = stream.input_size, outputs = stream.output_size;
  std::vector<float> zeros(inputs * silence), x = floats(".signal");
  x.insert(x.begin(), zeros.begin(), zeros.end());
  std::vector<float> given(x.size() / inputs * outputs);
  constexpr std::size_t sizes[]{1, 7, 64, 2, 129, 31};
  for (std::size_t first = 0, i = 0; first < x.size() / inputs; ++i) {
    const std::size_t count = std::min(sizes[i %% 6], x.size() / inputs - first);
    if (stream.push({x.data() + inputs * first, inputs * count}, {given.data() + outputs * first, outputs * count}) != count) return false;
    first += count;
  }
  sinter::write_file(path + ".streamed", std::as_bytes(std::span(given).subspan(silence * outputs)));
  return true;
}
int main(int, char** argv) {
  const std::string folder = std::string(argv[1]) + "/";
  return %s ? 0 : 1;
}
"""


def floats(path, channels):
    return np.frombuffer(path.read_bytes(), "<f4").astype(float).reshape(-1, channels)


def run(cxx, root, folder, cases):
    """For each (name, silence, whole, signal, outputs), with rows of moments, what the network gives for both: as a whole, and as a stream."""
    for name, _, whole, signal, _ in cases:
        for kind, numbers in (("whole", whole), ("signal", signal)):
            (folder / f"{name}.{kind}").write_bytes(numbers.astype("<f4").tobytes())
    source = folder / "program.cpp"
    source.write_text(PROGRAM % ("\n".join(f'#include "{name}.hpp"' for name, *_ in cases),
                                 " && ".join(f'run<{name}>(folder + "{name}", {silence})' for name, silence, *_ in cases)))
    subprocess.run([built(cxx, root, folder, source), folder], check=True)
    return {name: [(folder / f"{name}.{kind}", outputs) for kind in ("outputs", "streamed")] for name, _, _, _, outputs in cases}


def close(given, wanted, what):
    error = np.abs(given - wanted).max() if given.shape == wanted.shape else np.inf
    return check(error < 1e-6, f"{what}, largest difference {error:.1e} of {np.abs(wanted).max():.2f}")


def check_program(cxx, root, folder, name, signal, wanted):
    """The program that the tool made gives what it should for samples on its standard input."""
    said = subprocess.run([built(cxx, root, folder, folder / f"{name}.cpp")], cwd=folder, check=True, capture_output=True, input=signal.astype("<f4").tobytes()).stdout
    return close(np.frombuffer(said, "<f4").astype(float).reshape(wanted.shape), wanted, f"{name}: the program that was made gives it, too")


def check_refused(convert, refused, path, folder, texts, length=None):
    try:
        convert(path, "Refused", folder, length)
        said = "(nothing)"
    except refused as problem:
        said = str(problem)
    return check(all(text in said for text in texts), f"refused: {said}")
