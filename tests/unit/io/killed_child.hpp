// A child process that works until it is killed, for tests of what a kill leaves behind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <stdexcept>

namespace nfold::test {

/// Forks a child that calls work(0), work(1), ...; waits until `rounds` of them are done (so that
/// a test gets on however slow the machine is) and `pause_us` more, then kills it by SIGKILL.
/// Throws if the child ended by itself.
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
  if (!WIFSIGNALED(status)) throw std::runtime_error("the child failed before it was killed");
}

}  // namespace nfold::test
