// SPDX-License-Identifier: MIT
// weights FOLDER: files of weights, right and wrong.
#include <sinter/io/save.hpp>
#include <sinter/network/network.hpp>
#include <string>

#include "served.hpp"

int main(int, char** values) {
  const std::string folder = values[1];
  const std::vector<std::string> classes = {"a", "b", "\"c\"", "d", "e"};
  save(sinter::Network<Served>{{.seed = 1}}, folder + "/one.safetensors", {.classes = classes});
  save(sinter::Network<Served>{{.seed = 2}}, folder + "/two.safetensors");
  save(sinter::Network<ServedHeads>{{.seed = 3}}, folder + "/heads.safetensors",
       {.head_classes = {{"1", {"no", "yes"}}, {"risk", {"low", "m\"id", "high"}}}});
  struct Other : sinter::Sequential<sinter::Input<1, 3, 4>, sinter::Conv2d<3, 3>> {};
  save(sinter::Network<Other>{}, folder + "/other.safetensors");
}
