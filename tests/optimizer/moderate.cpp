// SPDX-License-Identifier: MIT
// labels: optimised
// What optimizers promise of moderate options: from numbers below 2^40 an update comes to finite weights.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sinter/core/finite.hpp"
#include "sinter/kernels/trial_update.hpp"
#include "sinter/optimizer/adagrad.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/adamw.hpp"
#include "sinter/optimizer/lion.hpp"
#include "sinter/optimizer/rmsprop.hpp"
#include "sinter/optimizer/scheduled.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/optimizer/step_lr.hpp"

using namespace sinter::internal;

namespace {

/// Every combination of numbers at and near the limits; state number `square` is not negative.
template <class Optimizer>
void check_extremes(const Optimizer& optimizer, int square = -1) {
  REQUIRE(optimizer.moderate());
  const float large = std::nextafter(std::ldexp(1.0f, 40), 0.0f);
  const std::vector<float> numbers{-large, -1.0f, -1e-30f, 0.0f, 1e-45f, 1e-20f, 1.0f, large};
  for (const long step : {0L, 1L, 1000000L})
    for (const float w : numbers)
      for (const float g : numbers)
        for (const float a : numbers)
          for (const float b : numbers) {
            float state[3] = {a, b, a};
            if (square >= 0) state[square] = std::fabs(state[square]);
            float weight = w;
            optimizer.template at<float>(step)(weight, g, state);
            if (!is_finite(weight)) {
              CAPTURE(w);
              CAPTURE(g);
              CAPTURE(a);
              CAPTURE(b);
              CHECK(is_finite(weight));
            }
          }
}

template <class Optimizer>
bool moderate(const Optimizer& optimizer, const std::vector<double>& factors = {}) {
  return is_moderate(UpdateStep<Optimizer>{optimizer, 0, factors});
}

}  // namespace

TEST_CASE("the limits hold at the extremes") {
  check_extremes(SGD{.lr = 1024, .momentum = 1024, .dampening = 1024, .weight_decay = 1024});
  check_extremes(SGD{.lr = 1024, .momentum = 1024, .weight_decay = 1024, .nesterov = true});
  check_extremes(Adam{.lr = 1024, .beta1 = 1 - 1e-6, .beta2 = 1 - 1e-6, .epsilon = 1e-12, .weight_decay = 1}, 1);
  check_extremes(AdamW{.lr = 1024, .beta1 = 0, .beta2 = 0, .epsilon = 1e-12, .weight_decay = 1024}, 1);
  check_extremes(RMSprop{.lr = 1024, .epsilon = 1e-12, .weight_decay = 1, .momentum = 1024}, 0);
  check_extremes(Adagrad{.lr = 1024, .weight_decay = 1, .epsilon = 1e-12}, 0);
  check_extremes(Lion{.lr = 1024, .weight_decay = 1024});
}

TEST_CASE("what is not moderate") {
  CHECK(moderate(SGD{.lr = 0.1}));
  CHECK(!moderate(SGD{.lr = 1e30}));
  CHECK(!moderate(SGD{.lr = 0.1, .weight_decay = std::numeric_limits<double>::infinity()}));
  CHECK(!moderate(SGD{.lr = std::numeric_limits<double>::quiet_NaN()}));
  CHECK(!moderate(Adam{.epsilon = 0}));
  CHECK(!moderate(Adam{.beta2 = 1 - 1e-9}));
  CHECK(!moderate(RMSprop{.epsilon = 0}));
  CHECK(moderate(SGD{.lr = 0.1}, {1, 0.5}));
  CHECK(!moderate(SGD{.lr = 0.1}, {1, 1e30}));
  // The rate is that of the step.
  CHECK(moderate(per_step(SGD{.lr = 0.1}, StepLR{.step_size = 1, .gamma = 0.5})));
  struct Backward {
    double operator()(double lr, long) const { return -1e38 * lr; }
    void check() const {}
  };
  CHECK(!moderate(per_step(SGD{.lr = 0.1}, Backward{})));
  struct Plain {
    double lr = 0;
  };
  CHECK(!moderate(Plain{}));  // says nothing of itself
}
