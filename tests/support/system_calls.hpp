// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace sinter_test {

enum class Ended { well, killed, no_filter, otherwise };

/// Runs `work` in a process that Linux kills at any system call but the one that ends it. (Seccomp's strict mode would let
/// read and write pass.) `no_filter` where the system does not offer that: in some containers and emulators.
template <class Work>
Ended end_without_system_calls(Work&& work) {
  constexpr int done = 42, refused = 43;
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    sock_filter only_exit[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    const sock_fprog program{sizeof only_exit / sizeof only_exit[0], only_exit};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      _exit(refused);
    work();
    _exit(done);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGSYS ? Ended::killed : Ended::otherwise;
  return WEXITSTATUS(status) == done      ? Ended::well
         : WEXITSTATUS(status) == refused ? Ended::no_filter
                                          : Ended::otherwise;
}

}  // namespace sinter_test
