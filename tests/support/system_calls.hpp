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

/// Whether `work` ends in a process that Linux kills at any system call but the one that ends it. (Seccomp's strict mode
/// would let read and write pass.)
template <class Work>
bool ends_without_system_calls(Work&& work) {
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
  REQUIRE_MESSAGE(!(WIFEXITED(status) && WEXITSTATUS(status) == refused),
                  "this system does not let a process give up its calls");
  const bool ended = WIFEXITED(status) && WEXITSTATUS(status) == done;
  CHECK((ended || (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)));
  return ended;
}

}  // namespace sinter_test
