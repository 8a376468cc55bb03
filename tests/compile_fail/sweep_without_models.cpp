// expected: sinter: sweep is given its models by name: sweep<Small, Wide>(Host{}, ..)
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
#include <sinter/sweep.hpp>
#include <vector>
using namespace sinter;

void search() { sweep(Host{}, disc(40, 1), CrossEntropyLoss{}, std::vector<SGD>{{.lr = 0.1}}, {.epochs = 2}); }
