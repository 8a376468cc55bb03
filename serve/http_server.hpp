// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "access_log.hpp"
#include "body_memory.hpp"
#include "clients.hpp"
#include "connection.hpp"
#include "http_body.hpp"
#include "http_head.hpp"
#include "http_message.hpp"
#include "leaving_clients.hpp"
#include "limits.hpp"
#include "listener.hpp"

namespace sinter_serve {

/// What a server answers.
class HttpService {
 public:
  virtual ~HttpService() = default;
  /// Looks at a request before its body is read; fails with an HttpError if it is to be refused.
  virtual void check(const HttpRequest& request) const = 0;
  virtual HttpResponse answer(const HttpRequest& request) = 0;
};

/// A server of HTTP/1.1 with a thread for each connection, and limits on all that clients send.
class HttpServer {
 public:
  HttpServer(Listener& listener, const Limits& limits, BodyMemory& memory, HttpService& service, AccessLog& log)
      : listener_(listener),
        limits_(limits),
        service_(service),
        log_(log),
        memory_(memory),
        clients_(limits.connections),
        accepting_([this] { accept_all(); }) {}
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer() { stop(); }

  /// From now on a connection is closed after its answer, which says so. Others are still taken.
  void drain() { draining_ = true; }
  /// Takes no more connections than those that have begun to come, for which it waits this time. Then closes the
  /// listener, and lets go the connections that are idle.
  void close(std::chrono::milliseconds time) {
    drain();
    time_to_come_ = time;
    stopping_ = true;
    if (accepting_.joinable()) {
      accepting_.join();
      std::this_thread::sleep_for(std::chrono::milliseconds(250));  // the last that came are about to send a request
    }
    clients_.close();
  }
  /// Closes, and returns when all requests that have come are answered.
  void stop() {
    close(std::chrono::milliseconds(50));
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  using Clock = std::chrono::steady_clock;
  /// That clients have to take the last answer, and to close their connection.
  static constexpr Clock::duration time_of_answer = std::chrono::seconds(2);

  void accept_all() {
    while (!stopping_) accept_one(50);
    listener_.let_no_more_in();
    const auto until = Clock::now() + time_to_come_;
    for (int more = 1024; (accept_one(50) && --more > 0) || Clock::now() < until;) {  // also those that wait already
    }
    listener_.close();  // else others would wait in vain for the answers to these
  }
  /// False if none has come.
  bool accept_one(int milliseconds) {
    const Listener::Arrival one = listener_.accept(milliseconds);
    if (one.no_files && !leaving_.close_oldest() && !clients_.close_idle())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (one.socket >= 0 && !take(one)) leaving_.take(one.socket, time_of_answer);
    return one.socket >= 0;
  }
  /// False if it is refused.
  bool take(const Listener::Arrival& one) {
    Client* client = nullptr;
    try {
      client = clients_.add(one.socket, one.client);
      if (client && give(*client)) return true;
      refuse(one.socket, one.client);
    } catch (const std::exception&) {  // out of memory
    }
    if (client) clients_.remove(*client);
    return false;
  }
  /// False if there is no thread for it, and can be none.
  bool give(Client& client) {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(&client);
    if (waiting_.size() <= free_threads_) {
      wake_.notify_one();
      return true;
    }
    try {
      threads_.emplace_back([this] { serve_all(); });
    } catch (const std::exception&) {
      waiting_.pop_back();
      return false;
    }
    return true;
  }
  void serve_all() {
    for (std::unique_lock lock(mutex_);;) {
      ++free_threads_;
      wake_.wait(lock, [&] { return !waiting_.empty() || ended_; });
      --free_threads_;
      if (waiting_.empty()) return;
      Client& client = *waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      serve(client);
      lock.lock();
    }
  }
  void serve(Client& client) {
    const int socket = client.socket;
    Connection connection(socket);
    const auto patience = client.crowded ? std::chrono::seconds(1) : limits_.idle;
    bool answered = false;
    try {
      do {
        clients_.set_idle(client, true);
        answered = false;
        if (!wait_for_request(connection, Clock::now() + patience)) {
          if ((answered = client.crowded && clients_.is_closing(client))) refuse(socket, client.address);
          break;
        }
        clients_.set_idle(client, false);
        answered = true;
      } while (exchange(client, connection));
    } catch (const std::exception&) {  // out of memory
    }
    clients_.remove(client);
    leaving_.take(socket, answered ? time_of_answer : std::chrono::milliseconds(20));
  }

  /// False if none comes. Empty lines before it are none of its lines.
  bool wait_for_request(Connection& connection, Clock::time_point until) const {
    for (std::size_t dropped = 0; dropped <= limits_.header; dropped += 2) {
      if (connection.read(until) != Connection::Read::some) return false;
      if (connection.arrived() == "\r" && connection.read(until, 1) != Connection::Read::some) return false;
      if (!connection.arrived().starts_with("\r\n")) return true;
      connection.take(2);
    }
    return false;
  }
  /// A request and its answer. False if the connection ends with them.
  bool exchange(Client& client, Connection& connection) {
    const auto began = Clock::now(), until = began + (client.crowded ? std::chrono::seconds(1) : limits_.request);
    HttpRequest request;
    HttpResponse response;
    std::optional<HttpBody> body;  // its memory counts until the answer
    try {
      read_head(connection, request, until);
      if (client.crowded && !request.is_health()) throw too_many();
      service_.check(request);
      body.emplace(request, limits_, memory_);
      read_body(connection, request, *body, until);
      response = service_.answer(request);
    } catch (const Ended& problem) {
      response = clients_.is_closing(client) ? refusal(let_go(client)) : refusal(problem);
    } catch (const HttpError& problem) {
      response = refusal(problem);
    } catch (const std::exception& problem) {
      response = refusal(HttpError(500, problem.what()));
    }
    response.closes =
        response.closes || client.crowded || draining_ || clients_.is_closing(client) || asks_to_close(request);
    pack(request, response);
    const Written written = write(connection, request, response);
    log_.add({client.address, request.method, request.path, std::to_string(written.all ? response.status : not_taken),
              body ? body->received() : 0, written.body, Clock::now() - began});
    return written.all && !response.closes;
  }
  /// The connection ended before the request did.
  struct Ended : HttpError {
    Ended() : HttpError(400, "the connection ended before the request did") {}
  };
  /// The server ended the connection, at the moment when the request began to come, or that of one that gave way.
  static HttpError let_go(const Client& client) {
    return client.crowded ? too_many() : later("the server ended this connection; send the request again");
  }
  static HttpError too_many() { return later("there are too many connections; try again later"); }
  static HttpError later(const std::string& text) { return {503, text, {{{"Retry-After", "1"}}}}; }
  static HttpResponse refusal(const HttpError& problem) {
    HttpResponse response = error_response(problem.status, problem.what());
    response.headers = problem.headers;
    response.closes = true;  // what is left of a body is no request
    return response;
  }
  void read_head(Connection& connection, HttpRequest& request, Clock::time_point until) const {
    HttpHead head(limits_);
    try {
      while (!head.done()) read_more(connection, until, [&](std::string_view bytes) { return head.take(bytes); });
      parse_head(head.text(), request);
    } catch (const HttpError&) {
      request.method = detail::method_of(head.text());  // the refusal of HEAD has no body
      throw;
    }
  }
  static void read_body(Connection& connection, HttpRequest& request, HttpBody& body, Clock::time_point until) {
    if (const std::string_view expects = request.headers["Expect"]; !expects.empty()) {
      if (!same_word(expects, "100-continue"))
        throw HttpError(417, "the header Expect is \"" + shown(expects, 20) + "\", expected \"100-continue\"");
      if (!body.done() && request.minor == 1) connection.write("HTTP/1.1 100 Continue\r\n\r\n", until);
    }
    while (!body.done()) read_more(connection, until, [&](std::string_view bytes) { return body.take(bytes); });
    request.body = body.whole();
  }
  template <class Take>
  static void read_more(Connection& connection, Clock::time_point until, Take take) {
    switch (connection.read(until)) {
      case Connection::Read::late:
        throw HttpError(408, "the request took longer to arrive than this server waits");
      case Connection::Read::end:
        throw Ended();
      case Connection::Read::some:
        connection.take(take(connection.arrived()));
    }
    if (Clock::now() >= until) throw HttpError(408, "the request took longer to arrive than this server waits");
  }
  /// Whether the client wants another connection for its next request.
  static bool asks_to_close(const HttpRequest& request) {
    bool keeps = request.minor == 1;
    for (const auto& [name, value] : request.headers.all)
      if (same_word(name, "Connection"))
        for (const std::string_view word : list_of(value)) {
          if (same_word(word, "close")) return true;
          keeps = keeps || same_word(word, "keep-alive");
        }
    return !keeps;
  }
  /// By gzip, if the client takes it and it is worth the time.
  static void pack(const HttpRequest& request, HttpResponse& response) {
    if (response.body.size() <= 1024 || response.type == "application/octet-stream") return;
    if (!takes_gzip(request)) return;
    response.body = gzip_of(response.body);
    response.headers.add("Content-Encoding", "gzip");
    response.headers.add("Vary", "Accept-Encoding");
  }
  static bool takes_gzip(const HttpRequest& request) {
    for (const std::string_view word : list_of(request.headers["Accept-Encoding"])) {
      const std::size_t end = std::min(word.find(';'), word.size());
      const std::string_view weight = word.substr(end);
      if (same_word(trimmed(word.substr(0, end)), "gzip"))
        return weight.empty() || weight.find_first_of("123456789") != weight.npos;
    }
    return false;
  }
  static constexpr int not_taken = 499;  // nginx's status of an answer whose client left
  struct Written {
    bool all;
    std::size_t body;  // bytes of it
  };
  Written write(Connection& connection, const HttpRequest& request, const HttpResponse& response) const {
    const auto until = Clock::now() + limits_.request;
    std::string text = head_of(response, limits_.idle.count());
    const std::size_t head = text.size();
    const std::string_view body = request.method == "HEAD" ? std::string_view() : response.body;
    const bool apart = body.size() > (64 << 10);
    if (!apart) text += body;  // so that they leave together
    std::size_t written = connection.write(text, until);
    if (apart && written == head) written += connection.write(body, until);
    return {written == head + body.size(), written - std::min(written, head)};
  }
  /// Before a request has come. Does not wait.
  void refuse(int socket, const std::string& address) {
    const HttpResponse response = refusal(too_many());
    const std::string text = head_of(response, 0) + response.body;
    const ssize_t count = send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    const bool sent = count == static_cast<ssize_t>(text.size());
    const int status = sent ? response.status : not_taken;
    log_.add({address, "", "", std::to_string(status), 0, sent ? response.body.size() : 0, {}});
  }

  Listener& listener_;
  const Limits limits_;
  HttpService& service_;
  AccessLog& log_;
  BodyMemory& memory_;
  LeavingClients leaving_;
  Clients clients_;
  std::chrono::milliseconds time_to_come_{};  // set before stopping_
  std::atomic<bool> draining_{false}, stopping_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Client*> waiting_;   // for a thread
  std::size_t free_threads_ = 0;  // and those that are about to take one that waits
  bool ended_ = false;
  std::vector<std::thread> threads_;
  std::thread accepting_;  // last: it uses the others
};

}  // namespace sinter_serve
