// SPDX-License-Identifier: MIT
// What processes of MPI do in tests: the first argument says what.
#include <sinter/mpi.hpp>
#include <sinter/sinter.hpp>

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sinter/io.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "ranks/conformance.hpp"

using namespace sinter;

namespace {

struct Net : Sequential<Input<1, 8, 8>, Conv2d<6, 3>, BatchNorm2d<>, ReLU, Flatten, Linear<40>, Dropout<0.2>, Tanh,
                        Linear<4>> {};

/// Inputs and labels.
auto rows_of(unsigned count) {
  std::pair<Tensor<float, Shape<1, 8, 8>>, std::vector<std::uint8_t>> rows{Tensor<float, Shape<1, 8, 8>>(count), {}};
  auto& [x, labels] = rows;
  for (std::size_t i = 0; i < x.values().size(); ++i) x.data()[i] = static_cast<float>(i * 2654435761u % 1000) / 1000;
  for (unsigned i = 0; i < count; ++i) labels.push_back(static_cast<std::uint8_t>(i * 7 % 4));
  return rows;
}

void write(const auto& net, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(net.data()),
             std::remove_cvref_t<decltype(net)>::Ops::storage_size * sizeof(float));
  std::printf("wrote %s\n", path.c_str());
}

/// The weights after some steps, in a file.
template <class Net, class... Callbacks>
void train(Net& net, bool writes, const std::string& path, int epochs = 5, Callbacks&&... callbacks) {
  const auto [x, labels] = rows_of(90);
  const History history = fit(net, dataset(x, labels), CrossEntropyLoss{}, clip_grad_norm(Adam{.lr = 0.01}, 1),
                              {.batch_size = 40, .epochs = epochs}, callbacks...);
  if (!history.stopped.empty()) std::printf("stopped: %s\n", history.stopped.c_str());
  if (writes && history.stopped.empty()) write(net, path);
}

/// The same rows as records of a file, of which each rank reads its own.
void train_on_file(auto& net, bool writes, const std::string& records, const std::string& path) {
  const RecordFiles<float, Shape<1, 8, 8>, std::uint8_t> files({records});
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.01}};
  for (std::uint32_t epoch = 0; epoch < 3; ++epoch)
    for (const auto& batch : batches(files, {.batch_size = 40, .epoch = epoch}, trainer)) trainer.step(batch);
  const History history = fit(net, files, CrossEntropyLoss{}, Adam{.lr = 0.01},
                              {.batch_size = 40, .epochs = 2, .validation = &files, .held_out = {7, 5}});
  net.data()[0] = static_cast<float>(history.epochs[1].validation_loss);  // which is compared, too
  if (writes) write(net, path);
}
void write_records(const std::string& path) {
  const auto [x, labels] = rows_of(90);
  std::ofstream file(path, std::ios::binary);
  for (std::size_t i = 0; i < 90; ++i) {
    file.put(static_cast<char>(labels[i]));
    file.write(reinterpret_cast<const char*>(x.data() + 64 * i), 64 * sizeof(float));
  }
}

/// Members of an ensemble, by one rank or dealt to several: all of them on the last rank.
template <class Device>
void train_members(const Device& device, bool writes, const std::string& path) {
  Ensemble<Net, Device> nets(device, 3, {.seed = 5});
  const auto [x, labels] = rows_of(60);
  const auto rows = dataset(x, labels);
  fit(nets, rows, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 40, .epochs = 3});
  if (writes)
    for (std::size_t m = 0; m < nets.size(); ++m) write(nets[m], path + std::to_string(m));
}

int run(Communicator& world, const std::string& what, const std::string& path) {
  if (what == "train") {
    sinter_test::check_conformance(world);
    if (world.rank() == 0) std::printf("%d ranks conform\n", world.size());
    Network<Net, Ranks<Host>> net{{world}, {.seed = 5}};
    train(net, world.rank() == 0, path);
  } else if (what == "file") {
    Network<Net, Ranks<Host>> net{{world}, {.seed = 5}};
    train_on_file(net, world.rank() == 0, "records", path);
  } else if (what == "members") {
    train_members(Ranks<Host>{world}, world.rank() == world.size() - 1, path);
  } else if (what == "groups") {
    const auto pair = world.split(world.rank() / 2);
    train_members(Ranks<Ranks<Host>>{world, Ranks<Host>{*pair}}, world.rank() == world.size() - 1, path);
  } else if (what == "stop" || what == "resume") {  // a signal of its own in one rank
    Network<Net, Ranks<Host>> net{{world}, {.seed = 5}};
    const auto stop = [&](const BatchInfo& info) {
      if (what == "stop" && world.rank() == 1 && info.epoch == 3 && info.samples_done == 80) raise(SIGTERM);
    };
    train(net, world.rank() == 0, path + ".weights", 5, stop, StopOnInterrupt{},
          Checkpoint{.path = path, .every = 1000, .resume = true});
  } else if (what == "long") {  // a signal from outside, and what it came to is resumed by one process
    Network<Net, Ranks<Host>> net{{world}, {.seed = 5}};
    if (world.rank() == 0) std::ofstream(path + ".begun") << "begun";
    train(net, world.rank() == 0, path, 1000000, StopOnInterrupt{}, Checkpoint{.path = path, .every = 1000000});
  } else if (what == "exit") {
    if (world.rank() == 1) std::exit(3);
    for (;;) internal::detail::gather(world, 1);
  } else if (what == "kill") {
    if (world.rank() == 1) raise(SIGKILL);
    for (;;) internal::detail::gather(world, 1);
  } else if (what == "early") {
    if (world.rank() != 1) internal::detail::gather(world, 1);
  } else if (what == "deal") {
    Ranks<Host>{world, Host{.threads = 2}}.deal(8, [](std::size_t i) {
      if (i == 7) throw std::runtime_error("the last one is bad");
      return std::vector<std::byte>(i);
    });
  } else if (what == "throw") {
    if (world.rank() == world.size() - 1) throw std::runtime_error("no such file");
    for (;;) internal::detail::gather(world, 1);
  } else if (what == "lag") {
    if (world.rank() == 0) std::this_thread::sleep_for(std::chrono::seconds(20));
    internal::detail::gather(world, 1);
  } else if (what == "lag_of_part") {
    const auto pair = world.split(world.rank() / 2);
    if (world.rank() == 2) std::this_thread::sleep_for(std::chrono::seconds(20));
    internal::detail::gather(*pair, 1);
  } else if (what == "late") {  // when its receiver has given up and uses the memory otherwise, a message comes
    char bytes[64] = {};
    const auto exchange = [&] {
      internal::detail::Exchange both(world);
      if (world.rank() == 0)
        both.receive(1, bytes, sizeof bytes);
      else
        both.send(0, bytes, sizeof bytes);
      both.run();
    };
    if (world.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::seconds(4));
      exchange();
    } else {
      for (int i = 0; i < 2; ++i) try {
          exchange();
        } catch (const Error& error) {
          std::printf("%s\n", error.what());
        }
      std::fill_n(bytes, sizeof bytes, 'x');
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return world.rank() == 0 && std::count(bytes, bytes + sizeof bytes, 'x') != sizeof bytes ? 1 : 0;
  } else if (what == "handled") {
    try {
      const auto part = world.split(0);
      throw std::runtime_error("what the program handles");
    } catch (const std::runtime_error&) {
      internal::detail::gather(*world.split(0), 1);
    }
  } else if (what == "differ") {
    if (world.rank() == 0)
      internal::detail::gather(world, 1);
    else
      internal::detail::gather(world, 1.0);
  } else {
    return 2;
  }
  return 0;
}

}  // namespace

/// Where each turn takes 10 ms, as on a busy machine, a wait of a second takes about that.
int wait_on_busy_machine() {
  const auto begun = std::chrono::steady_clock::now();
  const bool done = internal::detail::wait_until(std::chrono::seconds(1), [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return false;
  });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  std::printf("waited %.1f s\n", seconds);
  return !done && seconds < 5 ? 0 : 1;
}

int main(int count, char** values) {
  const std::string what = count > 1 ? values[1] : "", path = count > 2 ? values[2] : "";
  if (what == "alone") {
    Network<Net> net{{.seed = 5}};
    train(net, true, path);
    return 0;
  }
  if (what == "file_alone") {
    write_records("records");
    Network<Net> net{{.seed = 5}};
    train_on_file(net, true, "records", path);
    return 0;
  }
  if (what == "members_alone") {
    train_members(Host{}, true, path);
    return 0;
  }
  if (what == "too_early") {
    Mpi world(MPI_COMM_WORLD);
    return 0;
  }
  if (what == "caught") try {
      Mpi world(count, values);
      return run(world, "throw", path);
    } catch (const std::exception& error) {
      std::printf("caught: %s\n", error.what());
      return 1;
    }
  if (what == "busy") return wait_on_busy_machine();
  Mpi world(count, values, std::chrono::seconds(what.starts_with("lag") || what == "late" || what == "early" ? 2 : 60));
  return run(world, what, path);
}
