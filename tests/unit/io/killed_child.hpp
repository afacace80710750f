// Child process that works until it is killed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <stdexcept>

namespace nfold::test {

/// Forks a child that calls work(0), work(1), ... and kills it by SIGKILL `pause_us` after `rounds`
/// calls are done. Counting calls ensures progress on a slow machine. Throws if the child ends in
/// another way.
inline void kill_at_work(const std::function<void(int)>& work, int rounds, unsigned pause_us) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) {
    try {
      for (int round = 0;; ++round) {
        work(round);
        if (write(ends[1], "x", 1) != 1) _exit(2);
      }
    } catch (const std::exception&) {
      _exit(1);
    }
  }
  close(ends[1]);
  char done = 0;
  while (rounds > 0 && read(ends[0], &done, 1) == 1) --rounds;
  usleep(pause_us);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  close(ends[0]);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
    throw std::runtime_error("the child failed before it was killed");
  }
}

}  // namespace nfold::test
