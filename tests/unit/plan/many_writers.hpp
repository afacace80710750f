// Several processes that write into one file at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plan/history.hpp"

namespace nfold::test {

/// append(writer) so many times by each of so many processes; none may throw a HistoryError.
template <class Append>
void write_from_processes(int writers, int each, const Append& append) {
  for (int w = 0; w < writers; ++w) {
    if (fork() == 0) {
      int failed = 0;
      for (int k = 0; k < each; ++k) {
        try {
          append(w);
        } catch (const plan::HistoryError&) {
          failed = 1;
        }
      }
      _exit(failed);
    }
  }
  for (int w = 0; w < writers; ++w) {
    int status = 0;
    ASSERT_GT(wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
}

}  // namespace nfold::test
