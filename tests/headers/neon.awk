# SPDX-License-Identifier: MIT
# The inner loops of products, in what `objdump -d --no-show-raw-insn` prints of a program for aarch64: those of which at
# least a third of the instructions are fma of 16 bytes. Such a loop keeps its numbers in registers, and has at least one
# fma for two loads: without blocks of sums it would need a store for each as well.
BEGIN { FS = "\t" }
/^[0-9a-f]+ <.*>:$/ { judge(); name = $0; next }
/^ *[0-9a-f]+:\t/ {
  address = $1
  gsub(/[ :]/, "", address)
  at[address] = ++n
  operation[n] = $2
  operands[n] = $3
}
END {
  judge()
  if (loops == 0) print "refused: no inner loop of products found"
  else print loops " inner loops of products, up to " most " fma in one, at least " sprintf("%.2f", fewest) " for each load"
  exit refused || loops == 0
}

# The backward branches of a function are its loops, those that have none within them the inner ones.
function judge(   i, first, part, j, end) {
  end = 0
  for (i = 1; i <= n; i++)
    if (operation[i] ~ /^(b|b\..*|cbn?z|tbn?z)$/) {
      j = split(operands[i], part, /[ ,]+/)
      first = 0
      for (; j > 0; j--) if (part[j] in at) first = at[part[j]]
      if (first > end && first <= i) { loop(first, i); end = i }
      else if (first > 0 && first <= i) end = i
    }
  split("", at)
  n = 0
}
function loop(first, last,   i, fma, loads, stack) {
  for (i = first; i <= last; i++) {
    if (operation[i] == "fmla") fma++
    if (operation[i] ~ /^(ldu?r|ld1r?|ldp)$/ && operands[i] ~ /^\{?[qsdv]/) loads += operation[i] == "ldp" ? 2 : 1
    if (operation[i] ~ /^(ldu?r|stu?r|ldp|stp)$/ && operands[i] ~ /^q.*\[sp/) stack++
  }
  if (fma < 8 || 3 * fma < last - first + 1) return
  loops++
  if (fma > most) most = fma
  if (fewest == 0 || fma / loads < fewest) fewest = fma / loads
  if (stack == 0 && 2 * fma >= loads) return
  refused = 1
  print "refused: " fma " fma, " loads " loads, " 0 + stack " uses of the stack in a loop of " last - first + 1 " instructions in " name
}
