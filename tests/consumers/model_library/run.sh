#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD [DATA]: by C and by Python, with the weights and rows in DATA, or those that BUILD/train writes; for
# each instruction set that this machine has, and by the best one where none is asked for.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
if [ $# = 2 ]; then cp "$2"/*.safetensors "$2/x" "$2/pixels" "$2/y" "$build"; else "$build/train" "$build"; fi
best=$("$build/consumer" "$build")
echo "by itself $best"
for isa in x86-64 x86-64-v3 x86-64-v4; do
  [ "$(uname -m)" = x86_64 ] || break
  case " $(cat /proc/cpuinfo) " in *" avx512vl "*) level=4 ;; *" avx2 "*) level=3 ;; *) level=1 ;; esac
  status=0
  said=$(SINTER_ISA=$isa "$build/consumer" "$build") || status=$?
  echo "$said"
  case $isa in *-v[34]) needs=${isa#x86-64-v} ;; *) needs=1 ;; esac
  if [ $needs -gt $level ]; then
    case $said in *"does not have"*) ;; *) exit 1 ;; esac
  else
    [ $status = 0 ]
    case $said in "$isa: "*) ;; *) exit 1 ;; esac
    last=$isa
  fi
done
if [ -n "${last-}" ]; then case $best in "$last: "*) ;; *) exit 1 ;; esac; fi
! SINTER_ISA=z80 "$build/consumer" "$build"

# What it exports: the functions of its header, and nothing of C++.
exported=$(nm -D --defined-only "$build"/libdigits.so | grep -v ' [AwVu] ' | sed 's/.* //' | sort | tr '\n' ' ')
echo "exports: $exported"
header=$build/digits_include/digits.h  # by CMake; model_library writes it beside the library
[ -r "$header" ] || header=$build/digits.h
wanted=$(grep -o 'digits_[a-z_]*(' "$header" | tr -d '(' | sort -u | tr '\n' ' ')
[ "$exported" = "$wanted" ]
[ "$(echo "$exported" | wc -w)" = 26 ]

# Whatever the linker keeps one copy of is that for every machine: no vectors of 32 bytes but in kernels, which say for what they are.
if [ "$(uname -m)" = x86_64 ]; then
  objdump -d --no-show-raw-insn -C "$build"/libdigits.so |
    awk '/^[0-9a-f]+ </ { name = $0; kernel = name ~ /isa::(Avx2|Avx512)/ }
         /%[yz]mm/ && !kernel && !(name in seen) { seen[name] = 1; print "vectors of 32 bytes in " name; bad = 1 }
         END { exit bad }'
fi
if command -v python3 > /dev/null; then python3 "$here/from_python.py" "$build"/libdigits.so "$build"; fi
