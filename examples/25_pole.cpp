// SPDX-License-Identifier: MIT
// A pole on a cart is balanced by a policy that sees where both are, but not how fast they move. A GRU works that out from
// what it has seen; a network without memory cannot. Both learn from a controller that knows the speeds, and drive while they
// learn, so that they get into the situations that their own mistakes lead to (DAgger, Ross et al. 2011).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "support/arguments.hpp"
#include "support/write_chart.hpp"

#include <sinter/sinter.hpp>

using namespace sinter;

// [networks]
constexpr int chunk = 50, chunks = 10, carts = 64;  // a sequence is 10 chunks of 50 moments of 20 ms
struct WithMemory : Sequential<Input<chunk, 2>, GRU<16>, PositionwiseLinear<1>> {
  static constexpr std::size_t carried = chunks;  // the state goes from chunk to chunk
};
struct WithoutMemory : Sequential<Input<chunk, 2>, PositionwiseLinear<16>, Tanh, PositionwiseLinear<1>> {
  static constexpr std::size_t carried = 1;
};
// [/networks]

/// A cart of 1 kg on a rail, and a pole of 0.1 kg and 1 m hinged on it (Barto, Sutton and Anderson 1983).
struct Cart {
  double position = 0, speed = 0, angle = 0, angular_speed = 0;  // in m, m/s, rad, rad/s

  bool fallen() const { return std::fabs(angle) > 0.21 || std::fabs(position) > 2.4; }
  std::array<float, 2> seen() const { return {static_cast<float>(position), static_cast<float>(5 * angle)}; }
  /// What the controller that knows the speeds does: a force from -1 to 1, of 10 N.
  double expert_force() const {
    return std::clamp(0.1 * position + 0.25 * speed + 4 * angle + 0.9 * angular_speed, -1.0, 1.0);
  }
  void move(double force) {
    const double push =
        (10 * std::clamp(force, -1.0, 1.0) + 0.05 * angular_speed * angular_speed * std::sin(angle)) / 1.1;
    const double angular_acceleration = (9.8 * std::sin(angle) - std::cos(angle) * push) /
                                        (0.5 * (4.0 / 3 - 0.1 * std::cos(angle) * std::cos(angle) / 1.1));
    speed += 0.02 * (push - 0.05 * angular_acceleration * std::cos(angle) / 1.1);
    angular_speed += 0.02 * angular_acceleration;
    position += 0.02 * speed;
    angle += 0.02 * angular_speed;
  }
};

class Carts {
 public:
  explicit Carts(unsigned seed) : random_(seed) {
    for (Cart& cart : carts_) cart = another();
  }
  Cart another() { return {uniform(0.5), uniform(0.5), uniform(0.05), uniform(0.2)}; }
  /// A gust now and then.
  void disturb() {
    for (Cart& cart : carts_)
      if (uniform(1) > 0.98) cart.angular_speed += uniform(0.4);
  }
  auto& all() { return carts_; }

 private:
  double uniform(double most) { return most * (2 * static_cast<double>(random_()) / 4294967295.0 - 1); }
  std::mt19937 random_;
  std::array<Cart, carts> carts_;
};

/// All carts by one policy, a moment of each at a time.
template <class Policy>
class Policies {
 public:
  explicit Policies(const Network<Policy>& net) : weights_(net), streams_(weights_) {}
  const std::array<float, carts>& forces(const std::array<Cart, carts>& all) {
    std::array<float, 2 * carts> seen;
    for (std::size_t i = 0; i < carts; ++i) std::copy_n(all[i].seen().data(), 2, seen.data() + 2 * i);
    streams_.push(seen, forces_);
    return forces_;
  }

 private:
  StreamWeights<Policy> weights_;
  Streams<Policy, carts> streams_;
  std::array<float, carts> forces_;
};

/// Trains a policy for some rounds: it drives, the controller says what it would have done, and it learns from all rounds.
template <class Policy>
Network<Policy> learn(int rounds, int epochs, int threads) {
  Network<Policy> net{Host{.threads = threads}, {.seed = 1}};
  constexpr std::size_t moments = chunk * chunks;
  std::vector<float> seen, wanted;  // [sequence][moment][number]
  for (int round = 0; round < rounds; ++round) {
    Policies<Policy> policies(net);
    Carts group(static_cast<unsigned>(round));
    const std::size_t first = seen.size() / 2;
    seen.resize(2 * (first + carts * moments)), wanted.resize(first + carts * moments);
    for (std::size_t t = 0; t < moments; ++t) {
      const auto& forces = policies.forces(group.all());
      for (std::size_t i = 0; i < carts; ++i) {
        Cart& cart = group.all()[i];
        const std::size_t at = first + i * moments + t;
        std::copy_n(cart.seen().data(), 2, seen.data() + 2 * at);
        wanted[at] = static_cast<float>(cart.expert_force());
        // In the first round the controller drives, and then some of the carts.
        const bool by_policy = round > 0 && i % 4 != 0;
        cart.move(by_policy ? static_cast<double>(forces[i]) : cart.expert_force());
        // The policy goes on with what it remembers of the other cart: so it does in the rows that it learns from.
        if (cart.fallen()) cart = group.another();
      }
      group.disturb();
    }
    const TensorView<const float, Shape<chunk, 2>> x{seen.data(), seen.size() / (2 * chunk)};
    const TensorView<const float, Shape<chunk, 1>> y{wanted.data(), wanted.size() / chunk};
    fit(net, dataset(x, y), MSELoss{}, Adam{.lr = 0.005},
        {.batch_size = 16, .epochs = epochs, .chunks = Policy::carried});
  }
  return net;
}

/// For how many seconds, of 60, the pole stays up, and the angles of the first cart in degrees.
struct Balanced {
  double seconds = 0;
  std::vector<double> angles;
};
Balanced balance(const auto& forces) {
  Carts group(99);
  Balanced result;
  std::array<bool, carts> fallen{};
  for (int t = 0; t < 3000; ++t) {
    const auto by = forces(group.all());
    for (std::size_t i = 0; i < carts; ++i) {
      Cart& cart = group.all()[i];
      if (fallen[i]) continue;
      if (i == 0) result.angles.push_back(cart.angle * 57.29578);
      cart.move(static_cast<double>(by[i]));
      fallen[i] = cart.fallen();
      result.seconds += 0.02 / carts;
    }
    group.disturb();
  }
  return result;
}
template <class Policy>
Balanced balance_by(const Network<Policy>& net) {
  Policies<Policy> policies(net);
  return balance([&](const auto& all) { return policies.forces(all); });
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const int rounds = arguments.get("--rounds", 8, 1, "times that all carts are driven for 10 s");
  const int epochs = arguments.get("--epochs", 6, 1, "times through all that was driven, after each round");
  const int threads = arguments.get("--threads", 1, 1, "threads of the host");
  const std::string svg = arguments.get("--svg", "", "write the angle of a pole over time to this file");
  arguments.finish();

  const Balanced controller = balance([](const auto& all) {
    std::array<float, carts> forces;
    for (std::size_t i = 0; i < carts; ++i) forces[i] = static_cast<float>(all[i].expert_force());
    return forces;
  });
  const Balanced without = balance_by(learn<WithoutMemory>(rounds, epochs, threads));
  const Balanced with = balance_by(learn<WithMemory>(rounds, epochs, threads));

  Chart::Panel panel{.title = "angle of the pole, degrees", .curves = {}};
  const auto report = [&](const char* name, std::size_t color, const Balanced& result) {
    std::printf("%-34s %5.1f s of 60\n", name, result.seconds);
    panel.curves.push_back({name, chart_color(color), {}});
    for (std::size_t t = 0; t < result.angles.size(); ++t)
      panel.curves.back().points.push_back({0.02 * static_cast<double>(t), result.angles[t]});
  };
  report("the controller, which sees speeds", 0, controller);
  report("without memory", 1, without);
  report("with memory", 2, with);
  panel.x_title = "seconds", panel.width = 800;
  write_chart(Chart{"Balancing by sight", {panel}}, svg);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
