// SPDX-License-Identifier: MIT
// expected: sinter: load() gives a network other parameters, and this one is const
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>

struct Net : sinter::Sequential<sinter::Input<2>, sinter::Linear<2>> {};

int main() {
  const sinter::Network<Net> net;
  sinter::load(net, "net.safetensors", {.partial = true});
}
