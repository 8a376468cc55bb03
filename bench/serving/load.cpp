// SPDX-License-Identifier: MIT
// load PORT REQUEST CONNECTIONS RATE SECONDS: sends the bytes of the file REQUEST to a server on this machine, and prints one line
// of JSON. RATE requests a second arrive at random times, whether or not former ones were answered, and a latency counts from
// the arrival: a server that stalls makes all of them late. RATE 0: each connection asks again as soon as it is answered.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Connection {
  int socket;
  Clock::time_point arrived{};
  std::string received{};
};

int connected(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("cannot connect to port " + std::to_string(port));
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  fcntl(socket, F_SETFL, O_NONBLOCK);
  return socket;
}

/// Whether an answer is whole.
bool whole(const std::string& text) {
  const std::size_t head = text.find("\r\n\r\n");
  if (head == text.npos) return false;
  std::string lower = text.substr(0, head);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::size_t length = lower.find("content-length: ");
  if (length == lower.npos) throw std::runtime_error("an answer has no Content-Length");
  return text.size() >= head + 4 + std::strtoul(lower.c_str() + length + 16, nullptr, 10);
}

int run(int port, const std::string& request, std::size_t count, double rate, double seconds) {
  const int poll = epoll_create1(0);
  std::vector<Connection> connections;
  std::vector<std::size_t> idle;
  for (std::size_t i = 0; i < count; ++i) {
    connections.push_back({connected(port)});
    idle.push_back(i);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    epoll_ctl(poll, EPOLL_CTL_ADD, connections[i].socket, &event);
  }
  constexpr int slices = 5;
  std::mt19937_64 random(1);
  std::exponential_distribution<double> gap(rate > 0 ? rate : 1);
  const auto after = [](double time) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time));
  };
  const auto began = Clock::now(), end = began + after(seconds), last = end + std::chrono::seconds(2);
  auto next = began;
  std::deque<Clock::time_point> waiting;
  std::vector<double> latencies;
  std::vector<int> answered(slices);
  std::size_t refused = 0;
  std::vector<epoll_event> events(count);
  for (auto now = began; now < end || (now < last && (idle.size() < count || !waiting.empty())); now = Clock::now()) {
    if (rate > 0)
      for (; next <= now && next < end; next += after(gap(random))) waiting.push_back(next);
    while (!idle.empty() && (rate > 0 ? !waiting.empty() : now < end)) {
      Connection& connection = connections[idle.back()];
      idle.pop_back();
      connection.arrived = rate > 0 ? waiting.front() : now;
      if (rate > 0) waiting.pop_front();
      if (send(connection.socket, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
        throw std::runtime_error("a request does not fit the buffer of a socket");
    }
    const auto until = rate > 0 && now < end ? std::min(next, end) : now < end ? end : last;
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(until - Clock::now()).count();
    const timespec wait{left > 0 ? left / 1'000'000'000 : 0, left > 0 ? left % 1'000'000'000 : 0};
    const int ready = epoll_pwait2(poll, events.data(), static_cast<int>(count), &wait, nullptr);
    for (int i = 0; i < ready; ++i) {
      const std::size_t index = events[static_cast<std::size_t>(i)].data.u64;
      Connection& connection = connections[index];
      char buffer[65536];
      const ssize_t got = recv(connection.socket, buffer, sizeof buffer, 0);
      if (got <= 0 && errno != EAGAIN) throw std::runtime_error("the server closed a connection");
      if (got > 0) connection.received.append(buffer, static_cast<std::size_t>(got));
      if (!whole(connection.received)) continue;
      const auto at = Clock::now();
      if (connection.received.compare(9, 3, "200") == 0) {
        latencies.push_back(std::chrono::duration<double, std::micro>(at - connection.arrived).count());
        if (at < end)
          ++answered[static_cast<std::size_t>(std::chrono::duration<double>(at - began).count() / seconds * slices)];
      } else {
        ++refused;
      }
      connection.received.clear();
      idle.push_back(index);
    }
  }
  if (latencies.empty()) throw std::runtime_error("no request was answered by 200");
  std::sort(latencies.begin(), latencies.end());
  const auto quantile = [&](double of) {
    return latencies[static_cast<std::size_t>(of * static_cast<double>(latencies.size() - 1))];
  };
  int in_time = 0;
  for (const int slice : answered) in_time += slice;
  const auto [least, most] = std::minmax_element(answered.begin(), answered.end());
  std::printf(
      "{\"throughput\": %.1f, \"answered\": %zu, \"spread\": %.3f, \"refused\": %zu, \"unanswered\": %zu, \"p50\": "
      "%.1f, "
      "\"p99\": %.1f, \"p999\": %.1f}\n",
      in_time / seconds, latencies.size(), *least > 0 ? double(*most) / *least : 0.0, refused,
      count - idle.size() + waiting.size(), quantile(.5), quantile(.99), quantile(.999));
  return 0;
}

}  // namespace

int main(int count, char** values) try {
  if (count != 6) return std::fprintf(stderr, "usage: load PORT REQUEST CONNECTIONS RATE SECONDS\n"), 2;
  std::ifstream file(values[2], std::ios::binary);
  const std::string request{std::istreambuf_iterator<char>(file), {}};
  if (request.empty()) throw std::runtime_error(std::string("cannot read ") + values[2]);
  return run(std::atoi(values[1]), request, std::strtoul(values[3], nullptr, 10), std::atof(values[4]),
             std::atof(values[5]));
} catch (const std::exception& error) {
  std::fprintf(stderr, "load: %s\n", error.what());
  return 1;
}
