# SPDX-License-Identifier: MIT
# awk -f ptxas.awk LOG: what `ptxas -v` printed. Every kernel must keep all it has in at most 128 registers (512 threads
# then have a place on a multiprocessor): no stack, nothing spilled.
function refuse(text) {
  print "refused: " text " in " kernel
  wrong = 1
}
/Compiling entry function/ {
  kernel = $0
  sub(/^.*function '/, "", kernel)
  sub(/'.*$/, "", kernel)
  kernels++
}
/bytes stack frame/ {
  frames++
  sub(/^ +/, "")
  if ($1 != 0 || $5 != 0 || $9 != 0) refuse($0)
}
/: Used [0-9]+ registers/ {
  counts++
  match($0, /Used [0-9]+/)
  registers = substr($0, RSTART + 5, RLENGTH - 5) + 0
  if (registers > most) most = registers
  if (registers > 128) refuse(registers " registers")
}
END {
  if (!kernels || frames < kernels || counts != kernels) {
    print "refused: cannot read the log: " kernels + 0 " kernels, " frames + 0 " frames, " counts + 0 " counts of registers"
    wrong = 1
  }
  if (!wrong) print kernels " kernels, at most " most " registers"
  exit wrong
}
