#!/bin/sh
# SPDX-License-Identifier: MIT
# names.sh CXX FOLDER: what tools/names prints of nested layers, and what it says of a file, a model or a compiler that is not one.
set -eu
export CXX="$1"
folder=$2
names=$(cd "$(dirname "$0")/../../tools" && pwd)/names
rm -rf "$folder"
mkdir -p "$folder"
cat > "$folder/nested.hpp" << 'END'
#include <sinter/inference.hpp>
namespace mine {
using namespace sinter;
struct Tower : Shared<Linear<8>> {};
struct Nested : Sequential<Input<8>, Linear<8>, BatchNorm1d<>, Path<Linear<8, NoBias>>, PReLU<PerChannel>, Tower,
                           Residual<Path<Linear<8>>, Shortcut<Linear<8>>>, Highway<Path<Linear<8>>, Path<Linear<8>>>,
                           Concat<Path<Linear<4>, Tanh>, Path<Tower, Linear<4>>>> {};
}  // namespace mine
END
cat > "$folder/wanted" << 'END'
0.weight 8 x 8
0.bias 8
1.weight 8
1.bias 8
2.0.weight 8 x 8
3.weight 8
4.0.weight 8 x 8
4.0.bias 8
5.path.0.weight 8 x 8
5.path.0.bias 8
5.shortcut.0.weight 8 x 8
5.shortcut.0.bias 8
6.transform.0.weight 8 x 8
6.transform.0.bias 8
6.gate.0.weight 8 x 8
6.gate.0.bias 8
7.0.0.weight 4 x 8
7.0.0.bias 4
7.1.1.weight 4 x 8
7.1.1.bias 4
1.running_mean 8 (not trained)
1.running_var 8 (not trained)
END
"$names" "$folder/nested.hpp" mine::Nested > "$folder/printed_wide"
tr -s " " < "$folder/printed_wide" > "$folder/printed"
diff "$folder/wanted" "$folder/printed"

refused() {  # WORDS ARGUMENT..: fails, and says so in at most 6 lines, without a word on its standard output
  words=$1
  shift
  if "$names" "$@" > "$folder/out" 2> "$folder/said"; then echo "accepted: $*"; exit 1; fi
  grep -q "$words" "$folder/said" || { echo "no '$words' in:"; cat "$folder/said"; exit 1; }
  [ ! -s "$folder/out" ] && [ "$(wc -l < "$folder/said")" -le 6 ]
}
refused "has no model mine::Nestled" "$folder/nested.hpp" mine::Nestled
refused "cannot read" "$folder/missing.hpp" Nested
refused "1 arguments were given, expected 2" "$folder/nested.hpp"
echo 'struct Broken : Nothing {};' > "$folder/broken.hpp"
refused "does not compile by itself" "$folder/broken.hpp" Broken

# Names of folders and files that would be code in an #include.
odd="$folder/a\"b\\
int main() { return 1; } //??/ ${folder##*/} *"
mkdir -p "$odd"
echo '#include <sinter/inference.hpp>
#include "width.hpp"
struct Small : sinter::Sequential<sinter::Input<2>, sinter::Linear<width>> {};' > "$odd/-it's \$HOME.hpp"
echo 'constexpr int width = 3;' > "$odd/width.hpp"
"$names" "$odd/-it's \$HOME.hpp" Small > "$folder/printed_wide"
[ "$(tr -s " " < "$folder/printed_wide" | tr '\n' ,)" = "0.weight 3 x 2,0.bias 3," ] || { cat "$folder/printed_wide"; exit 1; }

# Of a model library the name begins those of C functions, in a header and a list of symbols.
library=$(dirname "$names")/model_library
for name in "" "1st" "a b" "a-b" "a.b" 'a"b' 'a\b' "a*/b" "a??/b" "a;b" "a/b" "../a" "größe" "$(printf 'a\nint injected = 1;')" "$(printf 'a\342\200\256b')" "$(printf 'a\377')"; do
  if "$library" "$name" "$odd/width.hpp" "$folder/library" > "$folder/out" 2> "$folder/said"; then echo "accepted: $name"; exit 1; fi
  grep -q "which begins the names of C functions" "$folder/said" || { cat "$folder/said"; exit 1; }
done
[ ! -e "$folder/library" ]

# Names that C has, and those of which NAME_open is the function of another library.
echo '#include <sinter/library.hpp>' > "$folder/library.cpp"
for name in NULL errno EOF INT_MAX index typeof shm sem iconv gai; do
  if "$library" "$name" "$folder/library.cpp" "$folder/library" > "$folder/out" 2> "$folder/said"; then echo "accepted: $name"; exit 1; fi
  grep -q "\"$name\" was given, which C has, or functions that begin with it" "$folder/said" || { cat "$folder/said"; exit 1; }
  if "$CXX" -std=c++20 -I "$(dirname "$names")/../include" -DSINTER_LIBRARY_NAME="$name" -fsyntax-only "$folder/library.cpp" 2> "$folder/said"; then exit 1; fi
  grep -q "C has this name of a model library" "$folder/said" || { cat "$folder/said"; exit 1; }
done
[ ! -e "$folder/library" ]
