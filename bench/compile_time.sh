#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# compile_time.sh [PROGRAM..]: what programs cost to compile, and how large they become: a row for each compiler and
# program, as bench/results has them. Without arguments a perceptron and W1: "compiled once" is with SINTER_COMPILED; the
# source with the other functions, "sinter.cpp", is a row of its own. "deep" means networks of many layers, inference
# and a step of training each: "blocks" is 18 of Conv2d<32, 3>, BatchNorm2d, ReLU, "linear" 50 of Linear<64>, ReLU, and
# "wavenet" 20 gated convolutions with dilations of 1 to 512, twice.
# INCLUDE: the headers, or those of this checkout. Compilers: CXX, or g++ and clang++-19. Flags: CXXFLAGS, or
# -O3 -march=native. Seconds are of the processor, so that a busy machine does not matter much.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
[ -x /usr/bin/time ] || { echo "compile_time.sh: no /usr/bin/time here, which tells the memory; run: apt-get install time" >&2; exit 1; }

cat > "$folder/network.hpp" << END
#include <cstdio>
#include <sinter/sinter.hpp>
using namespace sinter;
struct W1 : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 5>, Dropout2d<0.5>, MaxPool2d<2>, ReLU, Flatten,
                       Linear<50>, ReLU, Dropout<0.5>, Linear<10>, LogSoftmax> {};
END
cat > "$folder/header only.cpp" << END
#include <sinter/sinter.hpp>
int main() {}
END
cat > "$folder/inference.cpp" << END
#include "network.hpp"
int main() {
  const Network<W1> net;
  auto workspace = net.workspace(1);
  const Tensor<float, Shape<1, 28, 28>> x(1);
  std::printf("%f\n", static_cast<double>(net.forward(x, workspace)(0, 0)));
}
END
cat > "$folder/perceptron.cpp" << END
#include <cstdio>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Perceptron : Sequential<Input<2>, Linear<16>, Tanh, Linear<2>, LogSoftmax> {};
int main() {
  const auto train = disc(1000, 1), test = disc(1000, 2);
  Network<Perceptron> net;
  fit(net, train, NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.9}, {.batch_size = 50, .epochs = 25, .validation = &test}, Progress{});
  std::printf("%f\n", evaluate(net, test, NLLLoss{}).loss);
  save(net, "perceptron.safetensors");
}
END
cat > "$folder/sinter.cpp" << END
#define SINTER_IMPLEMENTATION
#include <sinter/sinter.hpp>
END
cat > "$folder/training.cpp" << END
#include "network.hpp"
int main(int, char** values) {
  const Mnist digits = read_mnist(values[1]);
  Network<W1> net;
  fit(net, digits.train, NLLLoss{}, SGD{.lr = 0.01}, {.batch_size = 200, .epochs = 25, .validation = &digits.test}, Progress{});
  std::printf("%f\n", evaluate(net, digits.test, NLLLoss{}).loss);
}
END

deep() {  # NAME SHAPE LAYERS
  local net="struct Net : Sequential<Input<$2>, $3, Flatten, Linear<10>> {};"
  printf '%s\n' '#include <cstdio>' '#include <sinter/sinter.hpp>' 'using namespace sinter;' "$blocks" "$net" 'int main() {' \
    '  const Network<Net> net;' '  auto workspace = net.workspace(1);' "  const Tensor<float, Shape<$2>> x(1);" \
    '  std::printf("%f\n", static_cast<double>(net.forward(x, workspace)(0, 0)));' '}' > "$folder/$1 inference.cpp"
  printf '%s\n' '#include <cstdio>' '#include <vector>' '#include <sinter/sinter.hpp>' 'using namespace sinter;' "$blocks" "$net" \
    'int main() {' '  Network<Net> net;' "  const Tensor<float, Shape<$2>> x(8);" '  const std::vector<int> labels(8);' \
    '  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.01}};' \
    '  std::printf("%f\n", static_cast<double>(trainer.step(x, labels)));' '}' > "$folder/$1 training.cpp"
}
blocks='
template <int Dilation_>
using Gate = Product<Path<Conv1d<16, 3, Causal, Dilation<Dilation_>>, Tanh>, Path<Conv1d<16, 3, Causal, Dilation<Dilation_>>, Sigmoid>>;
template <int Dilation_>
using Wave = Residual<Path<Gate<Dilation_>, Conv1d<16, 1>>>;'
repeat() { local all=""; for _ in $(seq "$1"); do all+=", $2"; done; echo "${all#, }"; }
waves=$(for d in 1 2 4 8 16 32 64 128 256 512 1 2 4 8 16 32 64 128 256 512; do printf ', Wave<%d>' "$d"; done)
deep blocks "3, 32, 32" "$(repeat 18 'Conv2d<32, 3, Padding<1>>, BatchNorm2d<>, ReLU')"
deep linear "64" "$(repeat 50 'Linear<64>, ReLU')"
deep wavenet "1, 256" "Conv1d<16, 1>$waves, Conv1d<1, 1>"

programs=("$@")
[ $# -gt 0 ] || programs=(sinter.cpp "header only" inference perceptron "perceptron, compiled once" training "training, compiled once")
[ "$*" != deep ] || programs=({blocks,linear,wavenet}" inference" {blocks,linear,wavenet}" training")

echo "| compiler | program | seconds | memory | text | longest symbol |"
echo "|---|---|---|---|---|---|"
for compiler in ${CXX:-g++ clang++-19}; do
  command -v "$compiler" > /dev/null || { echo "compile_time.sh: no $compiler here, left out" >&2; continue; }
  for program in "${programs[@]}"; do
    out="$folder/program"
    case $program in
      sinter.cpp) source=sinter out="$folder/sinter.o" how=-c ;;
      *", compiled once") source=${program%,*} how="-DSINTER_COMPILED $folder/sinter.o" ;;
      *) source=$program how= ;;
    esac
    # shellcheck disable=SC2086
    /usr/bin/time -o "$folder/cost" -f '%U %S %M' "$compiler" -std=c++20 ${CXXFLAGS:--O3 -march=native} \
      -I "${INCLUDE:-$root/include}" -pthread "$folder/$source.cpp" $how -o "$out" 2> "$folder/log" || { cat "$folder/log" >&2; exit 1; }
    read -r user system kilobytes < "$folder/cost"
    symbol=$(nm --format=posix "$out" | awk '{ if (length($1) > most) most = length($1) } END { print most + 0 }')
    [ "$program" = sinter.cpp ] || strip "$out"
    text=$(size "$out" | awk 'NR == 2 { printf "%.0f KB", $1 / 1000 }')
    printf '| %s %s | %s | %.1f | %.0f MB | %s | %s |\n' "$compiler" "$("$compiler" -dumpfullversion -dumpversion)" "$program" \
      "$(echo "$user $system" | awk '{ print $1 + $2 }')" "$(echo "$kilobytes" | awk '{ print $1 / 1024 }')" "$text" "$symbol"
  done
done
