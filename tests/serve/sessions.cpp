// SPDX-License-Identifier: MIT
// labels: threads
#include "sinter/serve/sessions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <coroutine>
#include <cstddef>
#include <cstring>
#include <exception>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <random>
#include <semaphore>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/conv1d.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/positional_encoding.hpp"
#include "sinter/layers/recurrent.hpp"
#include "sinter/model/sequential.hpp"
#include "sinter/network/network.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Status = RequestStatus;

namespace {

/// Answers each moment, with the memory of all that came before.
struct Pilot : Sequential<Input<30, 3>, GRU<5, FinalState>, Linear<2>> {};
/// Answers every second moment, with a window of the last ones.
struct Echo : Sequential<Input<2, 64>, Conv1d<5, 4, Causal, Dilation<3>>, Tanh, Conv1d<1, 2, Stride<2>, Causal>> {};

template <class Model>
using Block = Tensor<float, typename Stream<Model>::InputRow>;
template <class Model>
using Outputs = Tensor<float, typename Stream<Model>::OutputRow>;

template <class Model>
Block<Model> random_block(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Block<Model> x(count);
  for (float& number : x.values()) number = static_cast<float>(random() % 2001) / 1000 - 1;
  return x;
}
template <class Model>
const StreamWeights<Model>& weights() {
  static const StreamWeights<Model> numbers(Network<Model>{{.seed = 1}});
  return numbers;
}
/// What one Stream gives for these moments.
template <class Model>
std::vector<float> alone(Stream<Model>& stream, const Block<Model>& x) {
  std::vector<float> y(stream.outputs(x.rows()) * Stream<Model>::output_size);
  stream.push(x.values(), y);
  return y;
}
bool same(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// What futures threw, until the program ends: see batcher.cpp.
std::vector<std::exception_ptr> thrown;

template <class T>
std::optional<RequestError> error_in(std::future<T>& y) {
  try {
    y.get();
    return std::nullopt;
  } catch (const RequestError& error) {
    thrown.push_back(std::current_exception());
    return error;
  }
}
template <class T>
Status status_of(std::future<T>& y) {
  const auto error = error_in(y);
  return error ? error->status : Status::answered;
}
template <class T>
std::string text_of(std::future<T> y) {
  const auto error = error_in(y);
  return error ? std::string(error->what()).substr(8) : "(no error)";
}
template <class Call>
std::optional<RequestError> refusal_of(Call&& call) {
  try {
    call();
    return std::nullopt;
  } catch (const RequestError& error) {
    return error;
  }
}
template <class Condition>
bool eventually(Condition&& condition) {
  const auto end = Clock::now() + 20s;
  while (!condition()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

/// A block of a session that keeps its worker until release().
class Held {
 public:
  explicit Held(Session<Pilot>& session) {
    session.submit(Block<Pilot>(1), [both = both_](const auto&) {
      both->begun.release();
      both->go_on.acquire();
    });
    both_->begun.acquire();
  }
  ~Held() { release(); }
  void release() {
    if (!std::exchange(released_, true)) both_->go_on.release();
  }

 private:
  struct Both {
    std::binary_semaphore begun{0}, go_on{0};
  };
  std::shared_ptr<Both> both_ = std::make_shared<Both>();
  bool released_ = false;
};

/// A coroutine that begins at once, and of which nothing is kept.
struct Background {
  struct promise_type {
    Background get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

/// Many sessions in blocks of random sizes, each from a thread of its own, beside a lone Stream.
template <class Model>
void check_bits() {
  constexpr std::size_t count = 9, length = 700;
  const Network<Model> net{{.seed = 1}};
  Sessions sessions(net, {.workers = 3, .max_sessions = count, .max_waiting = length});
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> clients;
  for (unsigned client = 0; client < count; ++client)
    clients.emplace_back([&, client] {
      const auto x = random_block<Model>(length, client);
      auto stream = std::make_unique<Stream<Model>>(weights<Model>());
      const std::vector<float> expected = alone(*stream, x);
      std::mt19937 random(client);
      Session session = sessions.open();
      std::vector<std::future<Outputs<Model>>> answers;
      for (std::size_t first = 0; first < length;) {
        const std::size_t block = std::min<std::size_t>(length - first, 1 + random() % (client % 2 == 0 ? 70 : 5));
        answers.push_back(session.async(x.view().slice(first, block)));
        first += block;
        if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
      }
      std::vector<float> y;
      for (auto& answer : answers) {
        const auto part = answer.get();
        y.insert(y.end(), part.values().begin(), part.values().end());
      }
      wrong += !same(y, expected);
    });
  clients.clear();
  CHECK(wrong == 0);
  const SessionStatistics statistics = sessions.statistics();
  CHECK(statistics.rows == count * length);
  CHECK(statistics[Status::answered] == statistics.batches);
  CHECK(statistics.opened == count);
}

}  // namespace

TEST_CASE("blocks of many sessions, cut at random, have the bits of a lone Stream each") {
  SUBCASE("an answer to each moment") { check_bits<Pilot>(); }
  SUBCASE("an answer to every second one") { check_bits<Echo>(); }
}

TEST_CASE("a block is answered by future, callback and coroutine, with as many rows as its moments give") {
  Sessions sessions(Network<Echo>{{.seed = 1}});
  Session session = sessions.open();
  const auto x = random_block<Echo>(6, 3);
  Stream<Echo> stream(weights<Echo>());
  const std::vector<float> y = alone(stream, x);
  REQUIRE(y.size() == 3);
  std::vector<float> got;
  const auto take = [&](std::span<const float> part) { got.insert(got.end(), part.begin(), part.end()); };

  take(session.async(x.view().slice(0, 3)).get().values());
  CHECK(got.size() == 2);  // of moments 0 and 2
  std::promise<std::size_t> called;
  session.submit(x.view().slice(3, 1), [&](const Answer<Stream<Echo>>& answer) {
    CHECK(answer.status == Status::answered);
    CHECK(answer.error.empty());
    called.set_value(answer.y.rows);
  });
  CHECK(called.get_future().get() == 0);
  std::promise<void> resumed;
  const auto ask = [&]() -> Background {  // named: its captures are used after it has waited
    take((co_await session.submit(x.view().slice(4, 2))).values());
    resumed.set_value();
  };
  ask();
  resumed.get_future().get();
  CHECK(same(got, y));
  CHECK(session.async({x.data(), 1}).get().rows() == 1);  // numbers that follow one another
}

TEST_CASE("blocks of a session are answered in order and never two at once; sessions are computed at once") {
  Sessions sessions(Network<Pilot>{{.seed = 1}}, {.workers = 4});
  Session session = sessions.open();
  std::vector<int> order;  // no lock: one block at a time
  std::promise<void> done;
  for (int i = 0; i < 500; ++i)
    session.submit(Block<Pilot>(1), [&, i](const auto&) {
      order.push_back(i);
      if (i == 499) done.set_value();
    });
  done.get_future().get();
  CHECK(order.size() == 500);
  CHECK(std::is_sorted(order.begin(), order.end()));

  Session a = sessions.open(), b = sessions.open(), c = sessions.open();
  std::barrier together(3);  // each answer waits for those of the others
  std::vector<std::future<void>> met;
  for (Session<Pilot>* each : {&a, &b, &c}) {
    std::promise<void> promise;
    met.push_back(promise.get_future());
    each->submit(Block<Pilot>(1), [&, promise = std::move(promise)](const auto&) mutable {
      together.arrive_and_wait();
      promise.set_value();
    });
  }
  for (auto& each : met) CHECK(each.wait_for(20s) == std::future_status::ready);
}

TEST_CASE("many blocks of one session do not keep another one waiting") {
  std::atomic<int> answered = 0;
  Sessions sessions(Network<Pilot>{{.seed = 1}});
  Session greedy = sessions.open(), modest = sessions.open();
  Held held(greedy);
  for (int i = 0; i < 100; ++i) greedy.submit(Block<Pilot>(1), [&](const auto&) { ++answered; });
  std::promise<int> before;
  modest.submit(Block<Pilot>(1), [&](const auto&) { before.set_value(answered); });
  held.release();
  CHECK(before.get_future().get() <= 1);
}

TEST_CASE("a full session and too many sessions are refused at once with a message, and the others continue") {
  Sessions sessions(Network<Pilot>{{.seed = 1}}, {.max_sessions = 2, .max_waiting = 5});
  std::optional<Session<Pilot>> full = sessions.open();
  Session other = sessions.open();
  const auto refused = refusal_of([&] { sessions.open(); });
  REQUIRE(refused);
  CHECK(refused->status == Status::queue_full);
  CHECK(std::string(refused->what()) ==
        "sinter: 2 sessions are open, and .max_sessions is 2; close one, or open another one later");

  Held held(*full);
  auto waits = full->async(Block<Pilot>(4));
  CHECK(text_of(full->async(Block<Pilot>(2))) ==
        "the session is full: 4 moments wait, and .max_waiting is 5; submit the block again later, or give the "
        "sessions more workers");
  bool called = false;
  full->submit(Block<Pilot>(2), [&](const auto& answer) { called = answer.status == Status::queue_full; });
  CHECK(called);
  auto last = full->async(Block<Pilot>(1)), of_other = other.async(Block<Pilot>(5));
  CHECK(sessions.statistics().waiting_rows == 10);
  held.release();
  CHECK(status_of(waits) == Status::answered);
  CHECK(status_of(last) == Status::answered);
  CHECK(status_of(of_other) == Status::answered);

  full.reset();
  CHECK(eventually([&] { return sessions.statistics().open == 1; }));
  CHECK(sessions.open().async(Block<Pilot>(1)).get().rows() == 1);
  const auto statistics = sessions.statistics();
  CHECK(statistics[Status::queue_full] == 2);
  CHECK(statistics.refused == 1);
  CHECK(statistics.opened == 3);
  CHECK(statistics.rows == 12);
  CHECK(statistics.waiting.count() == 5);
  CHECK(statistics.computing.count() == 5);
}

TEST_CASE("a block that is refused, cancelled or late is not in the sequence") {
  Sessions sessions(Network<Pilot>{{.seed = 1}}, {.max_waiting = 8});
  Session session = sessions.open();
  Stream<Pilot> stream(weights<Pilot>());
  const auto first = random_block<Pilot>(3, 1), second = random_block<Pilot>(4, 2), other = random_block<Pilot>(1, 3);
  alone(stream, Block<Pilot>(1));
  const auto of_first = alone(stream, first), of_second = alone(stream, second);

  Held held(session);
  std::stop_source source;
  auto a = session.async(first), cancelled = session.async(other, {.cancellation = source.get_token()});
  auto late = session.async(other, {.deadline = Clock::now() + 1ms});
  auto refused = session.async(second);
  CHECK(status_of(refused) == Status::queue_full);
  source.request_stop();
  std::this_thread::sleep_for(2ms);
  held.release();
  CHECK(same(a.get().values(), of_first));
  CHECK(text_of(std::move(cancelled)) == "the request was cancelled");
  CHECK(text_of(std::move(late)) == "the request's deadline passed while it waited");
  CHECK(same(session.async(second, {.deadline = Clock::now() + 1h}).get().values(), of_second));
  CHECK(sessions.statistics().rows == 8);
}

TEST_CASE("a block beyond the positions of a network is refused, and is not in the sequence") {
  struct Placed : Sequential<Input<5, 3>, PositionalEncoding> {};
  Sessions sessions(Network<Placed>{{.seed = 1}});
  Session session = sessions.open();
  Stream<Placed> stream(weights<Placed>());
  const auto x = random_block<Placed>(3, 1), rest = random_block<Placed>(2, 2);
  CHECK(same(session.async(x).get().values(), alone(stream, x)));
  CHECK(text_of(session.async(x)) ==
        "the block goes beyond the positions of the network: submit a shorter one, or open another session");
  CHECK(same(session.async(rest).get().values(), alone(stream, rest)));
}

TEST_CASE("a closed session takes no more, its blocks that wait are answered, and the others continue") {
  Sessions sessions(Network<Pilot>{{.seed = 1}}, {.max_sessions = 2});
  std::optional<Session<Pilot>> closed = sessions.open();
  Session other = sessions.open();
  auto held = std::make_unique<Held>(*closed);
  auto waits = closed->async(Block<Pilot>(3)), of_other = other.async(Block<Pilot>(2));
  SUBCASE("by close()") {
    closed->close();
    closed->close();
    CHECK(text_of(closed->async(Block<Pilot>(1))) == "the session was closed, and takes no more blocks");
    CHECK(sessions.statistics()[Status::closed] == 1);
  }
  SUBCASE("by its end") { closed.reset(); }
  SUBCASE("by another one") { closed.emplace(std::move(other)); }
  CHECK(refusal_of([&] { sessions.open(); }));  // until its last block is answered
  held.reset();
  CHECK(status_of(waits) == Status::answered);
  CHECK(status_of(of_other) == Status::answered);
  CHECK(eventually([&] { return sessions.statistics().open == 1; }));
  Session next = sessions.open();
  CHECK(next.async(Block<Pilot>(1)).get().rows() == 1);
  CHECK(sessions.statistics().waiting_rows == 0);
}

TEST_CASE("an idle session expires, and one that gets blocks does not") {
  Sessions sessions(Network<Pilot>{{.seed = 1}}, {.workers = 2, .max_sessions = 3, .idle_time = 100ms});
  Session idle = sessions.open(), busy = sessions.open();
  CHECK(idle.async(Block<Pilot>(1)).get().rows() == 1);
  bool lost = false;
  const auto begin = Clock::now();
  const bool expired = eventually([&] {
    auto y = busy.async(Block<Pilot>(1));
    lost = lost || status_of(y) != Status::answered;
    return sessions.statistics().expired == 1;
  });
  CHECK(expired);
  CHECK(Clock::now() - begin >= 90ms);
  CHECK(text_of(idle.async(Block<Pilot>(1))) ==
        "the session has expired, as it got no block for .idle_time; open another one");
  idle.close();
  CHECK(sessions.statistics()[Status::closed] == 1);
  // A slow machine may have lost it between two blocks.
  if (!lost) CHECK(sessions.statistics().open == 1);
  // The time at which an answer takes long is not idle, and where none is taken, a session expires by itself.
  Session slow = sessions.open();
  slow.submit(Block<Pilot>(1), [](const auto&) { std::this_thread::sleep_for(250ms); });
  CHECK(slow.async(Block<Pilot>(1)).get().rows() == 1);
  CHECK(eventually([&] { return sessions.statistics().open == 0; }));
}

TEST_CASE("open sessions continue from their state with the weights of replace, and no block is answered by two") {
  const Network<Pilot> before{{.seed = 1}}, after{{.seed = 2}};
  const StreamWeights<Pilot> old(before), replaced(after);
  Sessions sessions(before, {.workers = 2});
  Session session = sessions.open();
  Stream<Pilot> stream(old), fresh(replaced);
  const auto x = random_block<Pilot>(40, 5), y = random_block<Pilot>(7, 6);
  CHECK(same(session.async(x).get().values(), alone(stream, x)));
  sessions.replace(after);
  stream.use(replaced);
  const auto of_y = alone(stream, y);
  CHECK(same(session.async(y).get().values(), of_y));
  const auto from_start = alone(fresh, y);
  CHECK_FALSE(same(from_start, of_y));
  CHECK(same(sessions.open().async(y).get().values(), from_start));
  sessions.replace(before);
  stream.use(old);
  CHECK(same(session.async(x).get().values(), alone(stream, x)));
}

TEST_CASE("weights are replaced while many threads ask") {
  struct Weight : Sequential<Input<1, 16>, Conv1d<1, 1, NoBias>> {};
  Network<Weight> net{{.seed = 1}};
  const auto set = [&](int version) { net.parameter("0.weight")[0] = static_cast<float>(version); };
  set(0);
  Sessions sessions(net, {.workers = 3});
  std::atomic<bool> done = false;
  std::atomic<int> least = 0, wrong = 0, answered = 0;
  std::vector<std::jthread> askers;
  for (int t = 0; t < 3; ++t)
    askers.emplace_back([&] {
      Session session = sessions.open();
      const Tensor<float, Shape<1>> x{1, 1, 1};
      float last = 0;
      while (!done) {
        const int before = least;
        const auto y = session.async(x).get();
        for (const float number : y.values()) wrong += number != y(0, 0);
        wrong += y(0, 0) < static_cast<float>(before) || y(0, 0) < last;  // never an older one again
        last = y(0, 0);
        ++answered;
      }
    });
  for (int version = 1; version <= 200; ++version) {
    set(version);
    sessions.replace(net);
    least = version;
    if (version % 16 == 0) std::this_thread::sleep_for(1ms);
  }
  CHECK(eventually([&] { return answered >= 10; }));
  done = true;
  askers.clear();
  CHECK(wrong == 0);
}

TEST_CASE("what a callback throws is counted, and its session continues") {
  Sessions sessions(Network<Pilot>{{.seed = 1}});
  Session session = sessions.open(), other = sessions.open();
  Stream<Pilot> stream(weights<Pilot>());
  const auto x = random_block<Pilot>(3, 1), y = random_block<Pilot>(2, 2);
  alone(stream, x);
  session.submit(x, [](const auto&) { throw std::runtime_error("a mistake of the caller's"); });
  CHECK(same(session.async(y).get().values(), alone(stream, y)));
  CHECK(other.async(y).get().rows() == 2);
  CHECK(sessions.statistics().callback_errors == 1);
}

TEST_CASE("a NaN stays in its own session") {
  Sessions sessions(Network<Pilot>{{.seed = 1}});
  Session broken = sessions.open(), other = sessions.open();
  Stream<Pilot> stream(weights<Pilot>());
  const auto x = random_block<Pilot>(3, 1);
  CHECK(std::isnan(broken.async(Block<Pilot>{NAN, 0, 0}).get()(0, 0)));
  CHECK(std::isnan(broken.async(x).get()(2, 0)));
  CHECK(same(other.async(x).get().values(), alone(stream, x)));
}

TEST_CASE("an answer may submit, open and close, and own its session; it may not stop the sessions") {
  Sessions sessions(Network<Pilot>{{.seed = 1}});
  std::promise<std::string> said;
  auto session = std::make_shared<Session<Pilot>>(sessions.open());
  std::weak_ptr<Session<Pilot>> seen = session;
  session->submit(Block<Pilot>(1), [&, session](const auto&) {
    Session another = sessions.open();
    session->submit(Block<Pilot>(1), [&, session](const auto&) {
      session->close();
      said.set_value(error_of([&] { sessions.stop(); }));
    });
  });
  session.reset();
  CHECK(has(said.get_future().get(), "the set of sessions was stopped, or destroyed, by an answer of its own"));
  CHECK(eventually([&] { return seen.expired() && sessions.statistics().open == 0; }));
}

TEST_CASE("stop answers what waits and refuses what comes; sessions may outlive it") {
  std::optional<Sessions<Pilot>> sessions;
  sessions.emplace(Network<Pilot>{{.seed = 1}}, SessionOptions{.workers = 2});
  Session a = sessions->open(), b = sessions->open();
  std::vector<std::future<Outputs<Pilot>>> y;
  for (int i = 0; i < 50; ++i) {
    y.push_back(a.async(Block<Pilot>(20)));
    y.push_back(b.async(Block<Pilot>(20)));
  }
  SUBCASE("by stop()") {
    sessions->stop();
    CHECK(refusal_of([&] { sessions->open(); }).value().status == Status::stopped);
    CHECK(sessions->statistics()[Status::answered] == 100);
    sessions->stop();
  }
  SUBCASE("by its end") { sessions.reset(); }
  for (auto& each : y) {
    REQUIRE(each.wait_for(0s) == std::future_status::ready);
    CHECK(status_of(each) == Status::answered);
  }
  CHECK(text_of(a.async(Block<Pilot>(1))) == "the set of sessions was stopped, and takes no more requests");
}

TEST_CASE("mistakes of the program are said where they are made") {
  Sessions sessions(Network<Pilot>{{.seed = 1}}, {.max_waiting = 4});
  Session session = sessions.open();
  CHECK(error_of([&] { session.async(Block<Pilot>(0)); }) ==
        "a block of 0 moments was submitted; give it 1 to 4 moments, or the sessions a larger .max_waiting");
  CHECK(has(error_of([&] { session.async(Block<Pilot>(5)); }), "a block of 5 moments was submitted; give it 1 to 4"));
  CHECK(has(error_of([&] { session.async({nullptr, 3}); }), "3 moments at a null pointer"));
  Session moved = std::move(session);
  CHECK(error_of([&] { session.async(Block<Pilot>(1)); }) ==
        "a session was used that has been moved from; use the one that it was moved to");
  CHECK(moved.async(Block<Pilot>(1)).get().rows() == 1);

  Network<Pilot> net{{.seed = 1}};
  const auto error_with = [&](SessionOptions options) { return error_of([&] { Sessions(net, options); }); };
  CHECK(error_with({.workers = 0}) == "Sessions was given .workers = 0, expected 1 to 1024 threads");
  CHECK(has(error_with({.max_sessions = 0}), ".max_sessions = 0, expected 1 to 16777216 sessions"));
  CHECK(has(error_with({.max_waiting = 0}), ".max_waiting = 0, expected 1 to 16777216 moments"));
  CHECK(has(error_with({.idle_time = -1ms}), ".idle_time = -1, expected 0 milliseconds to 1 year"));
  CHECK(has(error_with({.idle_time = std::chrono::milliseconds::max()}), "1 year"));
  const Network<Pilot> taken = std::move(net);
  CHECK(has(error_with({}), "has been moved from"));
  CHECK(has(error_of([&] { sessions.replace(net); }), "has been moved from"));
  CHECK(moved.async(Block<Pilot>(1)).get().rows() == 1);
}

TEST_CASE("1,000 sessions that come and go, from several threads") {
  Sessions sessions(Network<Pilot>{{.seed = 1}}, {.workers = 3, .max_sessions = 40, .idle_time = 20ms});
  const auto x = random_block<Pilot>(4, 1);
  Stream<Pilot> stream(weights<Pilot>());
  const auto expected = alone(stream, x);
  std::atomic<int> wrong = 0, answered = 0, callbacks = 0;
  std::vector<std::jthread> clients;
  for (unsigned client = 0; client < 4; ++client)
    clients.emplace_back([&, client] {
      std::mt19937 random(client);
      std::list<Session<Pilot>> open;
      for (int i = 0; i < 250; ++i) {
        if (open.size() == 10) open.pop_front();
        try {
          open.push_back(sessions.open());
        } catch (const RequestError&) {  // those that are closed have blocks that wait
          continue;
        }
        auto y = open.back().async(x.view().slice(0, 2));
        open.back().submit(x.view().slice(2, 2), [&](const auto& answer) {
          ++callbacks;
          wrong += answer.status == Status::answered && !same({answer.y.data, 4}, std::span(expected).subspan(4));
        });
        if (random() % 3 == 0) open.back().close();
        if (status_of(y) == Status::answered) ++answered;
      }
    });
  clients.clear();
  sessions.stop();
  CHECK(wrong == 0);
  CHECK(answered > 100);
  CHECK(callbacks >= answered);
  CHECK(sessions.statistics().waiting_rows == 0);
  CHECK(sessions.statistics().open == 0);
}
