// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/inference.hpp>

struct Served : sinter::Sequential<sinter::Input<1, 3, 4>, sinter::Conv2d<3, 2>, sinter::ReLU, sinter::Flatten,
                                   sinter::Linear<5>, sinter::Softmax> {};
struct ServedHeads
    : sinter::Sequential<sinter::Input<2>, sinter::Heads<sinter::Named<"risk", sinter::Path<sinter::Linear<3>>>,
                                                         sinter::Path<sinter::Linear<2>>>> {};
