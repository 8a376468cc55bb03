// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/network/initialize.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION NormalOfWords::NormalOfWords(const Words<std::uint32_t>& random) {
  for (int i = 0; i < 4; i += 2) {
    const Strict u((random.word[i] + 0.5) * 0x1p-32);
    const Strict radius = sqrt(Strict(-2) * fn::log(u));
    const std::uint32_t quarter = random.word[i + 1] >> 30;
    const Strict t(((random.word[i + 1] & 0x3fffffffu) + 0.5) * 0x1p-30 - 0.5);  // quarter turns, [-1/2, 1/2]
    const Strict sine = radius * t *
                        fn::polynomial(t * t, 1.5707963267948895262, -0.6459640975042355872, 0.079692626153385844003,
                                       -0.0046817525648907193697, 0.00016042914288289928512, -3.5561895572728148225e-6);
    const Strict cosine =
        radius * fn::polynomial(t * t, 0.99999999999999994413, -1.2337005501361488686, 0.25366950789975046827,
                                -0.020863480733009543447, 0.00091925993516916168942, -0.000025200082558928920703,
                                4.6545950546075723862e-7);
    const double x = (quarter % 2 == 0 ? cosine : -sine).value, y = (quarter % 2 == 0 ? sine : cosine).value;
    value[i] = quarter < 2 ? x : -x;
    value[i + 1] = quarter < 2 ? y : -y;
  }
}

}  // namespace detail

SINTER_NAMESPACE_END
