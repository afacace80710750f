// Outcome of an attempt from its status file, exit code and error output.
// SPDX-License-Identifier: BSD-3-Clause
#include "supervise/outcome.hpp"

#include <gtest/gtest.h>

namespace nfold::supervise {
namespace {

Attempt attempt(int exit_code, const std::string& status = "") {
  Attempt one;
  one.exit_code = exit_code;
  if (!status.empty()) one.status = status::parse_status(status);
  return one;
}

TEST(StatusFile, ReadsKnownKeysAndIgnoresOthers) {
  const auto status = status::parse_status(
      "state: failed\nstep: 1200\nsteps: 2000\nreason: rank 1: a: b\nfirst_step: 800\n"
      "outcome: disk\nexit_code: 3\n"
      "host: n1\nfuture_key: x\nno colon\nsuspect_rank: 1\nsuspect_host: n2\n"
      "suspect_device: GPU-ab\nsuspect_what: silent error\n");
  EXPECT_EQ(status.outcome, Outcome::disk);
  EXPECT_EQ(status.step, 1200);
  EXPECT_EQ(status.steps, 2000);
  EXPECT_EQ(status.reason, "rank 1: a: b");
  EXPECT_EQ(status.first_step, 800);
  EXPECT_EQ(status.suspect, (Suspect{1, "n2", "GPU-ab"}));
  EXPECT_FALSE(status.rank);
}

TEST(StatusFile, ReadsKeysOfARank) {
  const auto status = status::parse_status(
      "state: running\nstep: 40\nrank: 3\ndevice: GPU-ab\nwork: t1, t2\nmoved: noon\n");
  EXPECT_EQ(status.rank, (status::RankProgress{3, "GPU-ab", "t1, t2", "noon"}));
}

TEST(StatusFile, IgnoresInvalidNumbers) {
  const auto status =
      status::parse_status("step: 12x\nexit_code:\nexit_code: many\nsuspect_rank: -\n: : :\n");
  EXPECT_EQ(status.step, 0);
  EXPECT_EQ(status, status::Status());
}

TEST(StatusFile, OfAnotherVersionHasAnOutcomeByCodeOrState) {
  const auto outcome = [](const char* text) { return status::parse_status(text).outcome; };
  EXPECT_EQ(outcome("state: done\nexit_code: 2\noutcome: unheard of\n"), Outcome::partly_failed);
  EXPECT_EQ(outcome("state: failed\nexit_code: 1\n"), Outcome::wrong_input);
  EXPECT_EQ(outcome("state: stopped\nexit_code: 75\n"), Outcome::stopped);
  EXPECT_EQ(outcome("state: failed\nexit_code: 7\n"), Outcome::failure);
  EXPECT_EQ(outcome("state: done\n"), Outcome::done);
  EXPECT_EQ(outcome("state: failed\n"), Outcome::failure);
  EXPECT_FALSE(outcome("state: running\n"));
}

TEST(Outcome, HasANameThatIsRead) {
  for (const auto* const name : core::outcome_names) {
    ASSERT_TRUE(core::parse_outcome(name)) << name;
    EXPECT_STREQ(core::outcome_name(*core::parse_outcome(name)), name);
  }
  EXPECT_FALSE(core::parse_outcome(""));
}

TEST(Outcome, StatusFileOverridesExitCode) {
  EXPECT_EQ(classify_attempt(attempt(143, "state: stopped\nexit_code: 75\n")), Outcome::stopped);
  EXPECT_EQ(classify_attempt(attempt(1, "state: done\nexit_code: 0\n")), Outcome::done);
  EXPECT_EQ(classify_attempt(attempt(0, "state: done\nexit_code: 2\n")), Outcome::partly_failed);
  EXPECT_EQ(classify_attempt(attempt(137, "state: running\nstep: 5\n")), Outcome::crash);
}

TEST(Outcome, StatusFileClassifiesFailedRuns) {
  const auto by = [](Outcome outcome) {
    return classify_attempt(
        attempt(3, std::string("state: failed\noutcome: ") + core::outcome_name(outcome)));
  };
  for (const auto outcome : {Outcome::explosion, Outcome::memory, Outcome::disk, Outcome::hang,
                             Outcome::damage, Outcome::silent_error}) {
    EXPECT_EQ(by(outcome), outcome);
  }
  EXPECT_EQ(by(Outcome::failure), Outcome::crash);
  EXPECT_EQ(by(Outcome::incomplete), Outcome::partly_failed);
}

TEST(Outcome, StalledRankIsTheCulprit) {
  for (const char* status : {"state: running\n", "state: done\nexit_code: 0\n"}) {
    auto ended = attempt(143, status);
    ended.words.rank = 0;  // named by mpirun, because it was ended
    ended.stall = {"rank 2 on n1 has given no sign of life for 6 s", {2, "n1", "GPU-7"}};
    EXPECT_EQ(find_suspect(ended).rank, 2) << status;
    EXPECT_EQ(find_suspect(ended).device, "GPU-7") << status;
    EXPECT_EQ(describe_cause(ended, Outcome::hang), ended.stall.words);
  }
}

TEST(Outcome, ErrorOutputDecidesWithoutStatus) {
  auto wrong = attempt(1);
  wrong.words.error = "x.yaml: no such file";
  EXPECT_EQ(classify_attempt(wrong), Outcome::wrong_input);
  auto full = attempt(3);
  full.words.error = "x.status: cannot write: No space left on device";
  EXPECT_EQ(classify_attempt(full), Outcome::crash);
  full.words.outcome = Outcome::disk;
  EXPECT_EQ(classify_attempt(full), Outcome::disk);
  auto absent = attempt(127);
  absent.words.last_lines = {"launch: mpirun cannot be started: No such file or directory"};
  EXPECT_EQ(classify_attempt(absent), Outcome::not_started);
  EXPECT_EQ(describe_cause(absent, Outcome::not_started), absent.words.last_lines.back());
  auto refused = attempt(1);
  refused.words.not_started = "There are not enough slots available";
  EXPECT_EQ(classify_attempt(refused), Outcome::not_started);
  auto lost = attempt(1);
  lost.words.lost_host = "n2";
  EXPECT_EQ(classify_attempt(lost), Outcome::lost_node);
  EXPECT_EQ(find_suspect(lost).host, "n2");
  EXPECT_EQ(classify_attempt(attempt(139)), Outcome::crash);
  for (const int code : {0, 2, 75}) {
    EXPECT_EQ(classify_attempt(attempt(code)), Outcome::not_started) << "no status is of this job";
  }
}

TEST(Outcome, EndedRunIsAHangWithoutCulprit) {
  auto hung = attempt(143, "state: running\nstep: 5\n");
  hung.stall.words = "x.status has not changed for 6 s";
  hung.words.rank = 0;
  EXPECT_EQ(classify_attempt(hung), Outcome::hang);
  EXPECT_FALSE(find_suspect(hung).rank);
  // A clean end after SIGTERM is still a hang, because nobody requested a stop.
  hung.status = status::parse_status("state: stopped\nstep: 5\nexit_code: 75\n");
  EXPECT_EQ(classify_attempt(hung), Outcome::hang);
  hung.status = status::parse_status("state: done\nstep: 5\nexit_code: 0\n");
  EXPECT_EQ(classify_attempt(hung), Outcome::done);
}

TEST(Outcome, SuspectOfTheStatusIsTheCulprit) {
  auto failed =
      attempt(3,
              "state: failed\nexit_code: 3\nreason: rank 0 waited 3 s for other ranks in a "
              "sum\nsuspect_rank: 2\nsuspect_host: n2\nsuspect_device: GPU-2\n"
              "suspect_what: hang\n");
  failed.words.rank = 0;
  const auto culprit = find_suspect(failed);
  EXPECT_EQ(culprit.rank, 2);
  EXPECT_EQ(culprit.host, "n2");
  EXPECT_EQ(culprit.device, "GPU-2");
}

}  // namespace
}  // namespace nfold::supervise
