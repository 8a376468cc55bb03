#!/bin/sh
# SPDX-License-Identifier: MIT
# single_header.sh FOLDER PREFIX: one file for sinter.hpp and io.hpp, and one for inference.hpp, made by the installed
# tool, without any other header of sinter: programs of two source files, without warnings.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1"
mkdir -p "$1"
cd "$1"
tool="python3 $2/share/sinter/single_header.py"
$tool sinter.hpp
$tool inference.hpp sinter/inference.hpp
if $tool none.hpp sinter/none.hpp 2> said || ! grep -q 'there is no sinter/none.hpp; expected' said; then cat said; exit 1; fi
[ ! -e none.hpp ]

# program NAME OBJECT..: of NAME.cpp and objects
compile() { eval "${CXX:-g++}" -std=c++20 -O1 -Wall -Wextra -Wconversion -Werror -I . -pthread -c "$1.cpp" -o "$1.o"; }
program() {
  compile "$1"
  eval "${CXX:-g++}" -pthread "$(printf '%s.o ' "$@")" -o "$1"
}
mkdir sinter
echo '#include "../sinter.hpp"' > sinter/sinter.hpp  # the one that main.cpp includes
cat > trained.cpp << 'END'
#include "sinter.hpp"

#include <fstream>

using namespace sinter;
struct Net : Sequential<Input<2>, Linear<16>, Tanh, Linear<2>> {};
/// Trains a network, and writes what it answers to the first row.
bool trained() {
  const auto data = disc(400, 1);
  Network<Net> net{{.seed = 1}};
  fit(net, data, CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 50, .epochs = 40});
  save(net, "net.safetensors");
  Network<Net> again;
  load(again, "net.safetensors");
  save_packed(net, "net.bin");
  const auto write = [](const char* path, const float* two) {
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(two), 2 * sizeof(float));
  };
  write("row.bin", data.inputs().data);
  write("answer.bin", predict(net, data.inputs()).data());
  return score(again, data) > 0.9 && score(again, data) == score(net, data);
}
END
cat > both.cpp << 'END'
#define main main_of_the_consumer
#include "main.cpp"
#undef main
bool trained();
int main() { return trained() ? main_of_the_consumer() : 1; }
END
cp "$here/main.cpp" .
compile trained
program both trained
./both

sed -n '/^struct Net/p' trained.cpp > net.hpp
cat > answer.cpp << 'END'
#include "inference.hpp"

#include <cstdio>
#include <cstring>

using namespace sinter;
#include "net.hpp"
alignas(64) static std::byte packed[4096];
static std::size_t read(const char* path, void* to, std::size_t most) {
  std::FILE* file = std::fopen(path, "rb");
  const std::size_t size = file ? std::fread(to, 1, most, file) : 0;
  if (file) std::fclose(file);
  return size;
}
int main() {
  const std::size_t size = read("net.bin", packed, sizeof packed);
  const View<Net> net(std::span<const std::byte>(packed, size));
  static FixedWorkspace<Net, 1> workspace;
  float x[2];
  if (read("row.bin", x, sizeof x) != sizeof x) return 2;
  float answer[2];
  if (read("answer.bin", answer, sizeof answer) != sizeof answer) return 2;
  return std::memcmp(net.forward(std::span<const float, 2>(x), workspace).data(), answer, sizeof answer) == 0 ? 0 : 1;
}
END
program answer
./answer
