// Several processes that write into one file at the same time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "estimate/history.hpp"

namespace nfold::test {

/// Calls append(writer) `each` times in each of `writers` processes; none may throw a HistoryError.
template <class Append>
void write_from_processes(int writers, int each, const Append& append) {
  for (int w = 0; w < writers; ++w) {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no child process");
    if (child == 0) {
      int failed = 0;
      for (int k = 0; k < each; ++k) {
        try {
          append(w);
        } catch (const estimate::HistoryError&) {
          failed = 1;
        }
      }
      _exit(failed);
    }
  }
  for (int w = 0; w < writers; ++w) {
    int status = 0;
    if (wait(&status) <= 0) throw std::runtime_error("a child process is missing");
    EXPECT_EQ(status, 0);
  }
}

}  // namespace nfold::test
