#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD: training through the C interface by C, beside C++, and by Python, for each instruction set of this machine.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
cd "$build"
./consumer
case " $(cat /proc/cpuinfo) " in *" avx512vl "*) isas="x86-64 x86-64-v3 x86-64-v4" ;; *" avx2 "*) isas="x86-64 x86-64-v3" ;; *) isas=x86-64 ;; esac
if [ "$(uname -m)" = x86_64 ]; then
  for isa in $isas; do
    said=$(SINTER_ISA=$isa ./consumer)
    [ "$said" = trained ]
  done
  said=$(SINTER_ISA=x86-64 ./same)  # which is compiled for every machine
  [ "$said" = "x86-64
same" ] || { echo "$said"; exit 1; }
else
  ./same
fi
! SINTER_ISA=z80 ./consumer > said
grep -q 'SINTER_ISA is "z80", which this library' said

# What it exports: the functions of its header, and nothing of C++.
exported=$(nm -D --defined-only libnets.so | grep -v ' [AwVu] ' | sed 's/.* //' | sort | tr '\n' ' ')
wanted=$(sed 's|/\*.*\*/||' nets_include/nets.h | grep -o '^[a-z].*nets_[a-z_]*(' | sed 's/.*\(nets_[a-z_]*\)($/\1/' | sort -u | tr '\n' ' ')
echo "exports: $exported"
[ "$exported" = "$wanted" ] || { echo "declares: $wanted"; exit 1; }
[ "$(echo "$exported" | wc -w)" = 40 ]
if command -v python3 > /dev/null; then python3 "$here/from_python.py" ./libnets.so; fi
