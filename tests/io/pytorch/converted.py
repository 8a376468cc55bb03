# SPDX-License-Identifier: MIT
"""What the tests of tools/from_pytorch.py and tools/from_onnx.py share: a program that runs the networks they wrote."""
import re
import struct
import subprocess

PROGRAM = """// Loads what the script made; gives the outputs for rows of floats, model by model.
#include <cstdio>
#include <cstring>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>
%s
template <class Model>
bool run(const std::string& path) {
  sinter::Network<Model> net;
  const auto loaded = load(net, path + ".safetensors");
  if (!loaded.self_tested || !loaded.problem().empty()) return false;
  const auto bytes = sinter::read_file(path + ".rows");
  std::vector<float> x(bytes.size() / sizeof(float));
  std::memcpy(x.data(), bytes.data(), bytes.size());
  const auto y = predict(net, sinter::Tensor<float, typename Model::InputRow>(x));
  sinter::write_file(path + ".outputs", std::as_bytes(y.values()));
  return true;
}
int main(int, char** argv) {
  const std::string folder = std::string(argv[1]) + "/";
  return %s ? 0 : 1;
}
"""


def check(good, what):
    print(f"{'ok' if good else 'WRONG'}: {what}")
    return good


def refused_by(tool, path, folder, texts, **options):
    """That a converter refuses a file, in words that have these texts."""
    try:
        tool.convert(path, "Refused", folder, **options)
        said = "(nothing)"
    except tool.Refused as problem:
        said = str(problem)
    return check(all(text in said for text in texts), f"refused: {said}")


def struct_of(header):
    """What a header says, without the comments on its layers and in one line for all of them."""
    return re.sub(r"  // .*", "", header.read_text()).replace("\n    ", " ")


def flags(root, folder):
    return ["-std=c++20", "-O0", "-DSINTER_KEEP_CALLS", "-Wall", "-Wextra", "-Werror", "-I", root / "include", "-I", folder, "-pthread"]


def built(cxx, root, folder, source):
    """The program of a source file. Compiled apart from linking, as a cache of objects needs."""
    program = source.with_suffix("")
    subprocess.run([cxx, *flags(root, folder), "-c", source, "-o", source.with_suffix(".o")], check=True)
    subprocess.run([cxx, "-pthread", source.with_suffix(".o"), "-o", program], check=True)
    return program


def outputs(cxx, root, folder, names):
    """The outputs of each network in the folder for the rows in NAME.rows."""
    source = folder / "program.cpp"
    source.write_text(PROGRAM % ("\n".join(f'#include "{name}.hpp"' for name in names),
                                 " && ".join(f'run<{name}>(folder + "{name}")' for name in names)))
    subprocess.run([built(cxx, root, folder, source), folder], check=True)
    given = {}
    for name in names:
        data = (folder / f"{name}.outputs").read_bytes()
        given[name] = struct.unpack(f"{len(data) // 4}f", data)
    return given
