// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sinter_test {

/// Runs work(tell) in a child process and kills it at a random moment after `least` or more calls of tell(), which it
/// makes after each step. False if it ended by itself before.
template <class Work>
bool killed(unsigned attempt, unsigned least, Work&& work) {
  int done[2];  // a byte for each step, so that every attempt makes some before it is killed
  REQUIRE(pipe(done) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close(done[0]);
    work([to = done[1]] {
      if (write(to, "", 1) != 1) _exit(1);
    });
    _exit(0);
  }
  close(done[1]);
  char byte;
  bool running = true;
  for (unsigned i = 0; running && i < least + attempt * 7 % 13; ++i) running = read(done[0], &byte, 1) == 1;
  if (running) usleep(attempt * 7919 % 3000);
  kill(child, SIGKILL);
  close(done[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) CHECK(WEXITSTATUS(status) == 0);
  return !WIFEXITED(status);
}

/// Repeats until it ends by itself. Returns how often it was killed, 500 times at most.
template <class Work>
int killed_until_done(unsigned least, Work&& work) {
  unsigned attempt = 0;
  while (attempt < 500 && killed(attempt, least, work)) ++attempt;
  return static_cast<int>(attempt);
}

}  // namespace sinter_test
