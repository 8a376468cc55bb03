// SPDX-License-Identifier: MIT
// labels: large optimised
#include "support/host_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using networks::W1;

TEST_CASE_TEMPLATE("gradients are the same bits for any number of threads, and twice in a row", T, float, double) {
  for (const std::size_t rows : std::initializer_list<std::size_t>{1, 9, 63, 64, 65, 200, 512, 513}) {
    CAPTURE(rows);
    const Problem<W1, T> problem{Problem<W1>(rows, 4)};
    auto one = MakeHost<>{1}.make<W1, T>();
    const auto want = gradients_of(one, problem, NLLLoss{}, T(0.01));
    for (const int threads : {1, 2, 3, 7, 16}) {
      CAPTURE(threads);
      auto host = MakeHost<>{threads}.make<W1, T>();
      for (int again = 0; again < 2; ++again) {
        const auto got = gradients_of(host, problem, NLLLoss{}, T(0.01));
        CHECK(got.loss == want.loss);
        CHECK(same(got.parameters, want.parameters));
        CHECK(same(got.input, want.input));
      }
    }
  }
}

TEST_CASE("a batch of another size in between has no lasting effect") {
  const Problem<W1, float> large{Problem<W1>(130, 5)}, small{Problem<W1>(3, 6)};
  auto host = MakeHost<>{2}.make<W1, float>(), fresh = MakeHost<>{2}.make<W1, float>();
  gradients_of(host, large, NLLLoss{}, 1.f);
  const auto got = gradients_of(host, small, NLLLoss{}, 1.f), want = gradients_of(fresh, small, NLLLoss{}, 1.f);
  CHECK(same(got.parameters, want.parameters));
  CHECK(same(outputs_of(host, small), outputs_of(fresh, small)));

  // Nor do numbers that are not finite.
  auto broken = large;
  for (auto& x : broken.x) x = std::numeric_limits<float>::quiet_NaN();
  gradients_of(host, broken, NLLLoss{}, 1.f);
  outputs_of(host, broken);
  CHECK(same(gradients_of(host, small, NLLLoss{}, 1.f).parameters, want.parameters));
  CHECK(same(outputs_of(host, small), outputs_of(fresh, small)));
}
