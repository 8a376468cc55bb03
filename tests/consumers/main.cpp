// SPDX-License-Identifier: MIT
// The program that every consumer builds: a network answers, and each row's probabilities add up to one.
#if defined(EXPECT_NATIVE) && !defined(SINTER_VERSION_MAJOR)
#error "sinter::native did not precompile the headers"
#endif
#include <cmath>
#include <cstdio>
#include <sinter/sinter.hpp>

#if defined(EXPECT_NATIVE)
static_assert(sinter::internal::optimised, "sinter::native did not bring its flags");
static_assert(SINTER_BODIES == 0, "sinter::native did not bring sinter::compiled");
#elif defined(EXPECT_HEADER_ONLY)
static_assert(sinter::internal::optimised && SINTER_BODIES == 1, "sinter::native is not header-only");
#endif

struct Xor : sinter::Sequential<sinter::Input<2>, sinter::Linear<8>, sinter::Tanh, sinter::Linear<2>, sinter::Softmax> {
};

int main() {
  const sinter::Network<Xor> net{{.seed = 1}};
  const sinter::Tensor<float, sinter::Shape<2>> points{{0, 0, 0, 1, 1, 0, 1, 1}};
  const auto answers = sinter::predict(net, points);
  std::size_t right = 0;
  for (std::size_t row = 0; row < answers.rows(); ++row)
    right += std::abs(answers(row, 0) + answers(row, 1) - 1) < 1e-5f;
  std::printf("sinter %d.%d.%d: %zu of 4 rows add up to 1\n", SINTER_VERSION_MAJOR, SINTER_VERSION_MINOR,
              SINTER_VERSION_PATCH, right);
  return right == 4 ? 0 : 1;
}
