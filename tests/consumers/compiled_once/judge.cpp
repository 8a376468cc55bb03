// SPDX-License-Identifier: MIT
#include "postal.hpp"

double judge(const PostalNet& net, const PostalData& data) {
  return sinter::evaluate(net, data, PostalLoss{}).accuracy;
}
