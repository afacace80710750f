// Search for the rank at fault in the records of all ranks, and its description.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/stall_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <span>
#include <thread>
#include <tuple>

#include "comm/node_records.hpp"
#include "comm/waiting.hpp"

namespace nfold::comm {
namespace {

using namespace std::chrono_literals;

/// Longer than the greatest age of a node's file of records (session/job/rank_files.hpp).
constexpr double silence_s = 20;

/// States of a rank, ordered by the certainty that the others wait for it.
enum class RankStatus {
  waits,
  waits_further_back,
  computes,
  waits_for_device,
  silent,
  stopped,
  gone
};

RankStatus classify(const RankReport& one, const RankReport& mine) {
  if (one.has_ended || one.state == 'X' || one.state == 'Z') return RankStatus::gone;
  if (one.state == 'T' || one.state == 't') return RankStatus::stopped;
  if (one.unseen_s > silence_s) return RankStatus::silent;
  if (!one.call.empty() && one.waits_for_device) return RankStatus::waits_for_device;
  if (one.call.empty()) return RankStatus::computes;
  return one.phases < mine.phases ? RankStatus::waits_further_back : RankStatus::waits;
}

std::string seconds_text(double seconds) {
  return seconds < 10 ? fmt::format("{:.2g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string describe_status(RankStatus status, const RankReport& one) {
  switch (status) {
    case RankStatus::gone:
      return one.has_ended ? "it has ended" : "its process is gone";
    case RankStatus::stopped:
      return fmt::format("stopped (process state {})", one.state);
    case RankStatus::silent:
      return "no sign of life, its node or the way to it may be down";
    case RankStatus::waits_for_device:
      return fmt::format("waits for its GPU for {}", seconds_text(one.waits_s));
    case RankStatus::computes:
      if (one.state == 'D') return "does not wait, its disk or driver does not answer (state D)";
      return one.state == '\0' ? std::string("does not wait, works on")
                               : fmt::format("does not wait, {} (process state {})",
                                             one.state == 'R' ? "works on" : "sleeps", one.state);
    case RankStatus::waits_further_back:
    case RankStatus::waits:
      break;
  }
  return fmt::format("waits further back, for {} in {}", seconds_text(one.waits_s), one.call);
}

/// Returns text like "in a block of steps, after step 4200".
std::string describe_phase(const std::string& phase, std::int64_t step) {
  std::string text = phase;
  if (step >= 0) text += fmt::format("{}after step {}", text.empty() ? "" : ", ", step);
  return text;
}

std::string format_rank(const RankReport& one) {
  return fmt::format("rank {} (host {}, process {}{}{})", one.rank, one.host, one.process,
                     one.device.empty() ? "" : ", GPU ", one.device);
}

std::string describe_suspect(RankStatus status, const RankReport& one) {
  std::string text = fmt::format("{}: {}", format_rank(one), describe_status(status, one));
  const std::string phase = describe_phase(one.phase, one.step);
  const bool is_there = status == RankStatus::computes || status == RankStatus::waits_for_device ||
                        status == RankStatus::waits_further_back;
  if (is_there) {
    if (!phase.empty()) text += fmt::format(", {} for {}", phase, seconds_text(one.in_phase_s));
  } else {
    text += fmt::format("; last seen {} ago", seconds_text(one.unseen_s));
    if (!phase.empty()) text += ", " + phase;
  }
  if (!one.last_message.empty())
    text += fmt::format("; its last message is '{}'", one.last_message);
  return text;
}

/// The rank that the others wait for, and other ranks in the same state.
struct Choice {
  const RankReport* one = nullptr;
  RankStatus status = RankStatus::waits;
  std::vector<int> others;
};

Choice choose_suspect(const RankReport& mine, const std::vector<RankReport>& reports) {
  Choice choice;
  for (const auto& one : reports) {
    const bool is_own_gpu = one.rank == mine.rank && one.waits_for_device;
    if (one.rank == mine.rank && !is_own_gpu) continue;
    if (mine.work != 0 && one.work != mine.work) continue;
    const auto status = classify(one, mine);
    if (status == RankStatus::waits || status < choice.status) continue;
    // Prefers the rank with the fewest phases, then the lowest step, then the lowest rank.
    const auto order = [](const RankReport& report) {
      return std::tuple(report.phases, report.step, report.rank);
    };
    const bool is_surer = status > choice.status;
    if (is_surer) choice.others.clear();
    if (is_surer || order(one) < order(*choice.one)) {
      if (!is_surer) choice.others.push_back(choice.one->rank);
      choice.one = &one;
      choice.status = status;
    } else {
      choice.others.push_back(one.rank);
    }
  }
  return choice;
}

std::string format_rank_list(std::vector<int> ranks) {
  constexpr std::size_t most = 8;
  std::sort(ranks.begin(), ranks.end());
  const std::size_t shown = std::min(most, ranks.size());
  auto text = fmt::format("{}", fmt::join(std::span(ranks).first(shown), ", "));
  if (ranks.size() > shown) text += fmt::format(" and {} more", ranks.size() - shown);
  return text;
}

/// Delays higher ranks: among several stalled ranks the lowest one reports and ends the others.
void stagger_by_rank(int rank) { std::this_thread::sleep_for(300ms * std::min(rank, 4)); }

}  // namespace

StallReport explain_stall(const RankReport& mine, double waited_s,
                          const std::vector<RankReport>& reports) {
  std::string text = fmt::format("rank {} waited {:.4g} s", mine.rank, waited_s);
  if (!mine.call.empty()) text += " in " + mine.call;
  const std::string phase = describe_phase(mine.phase, mine.step);
  if (!phase.empty()) text += fmt::format(" ({})", phase);
  StallReport standstill{"", mine.step, {}};
  const auto& [one, status, others] = choose_suspect(mine, reports);
  // A GPU that waits for the GPUs of all others looks like one that hangs itself.
  const bool is_any = status == RankStatus::waits_for_device && !others.empty() &&
                      std::ranges::all_of(reports, [step = one->step](const RankReport& other) {
                        return !other.waits_for_device || other.step == step;
                      });
  if (one != nullptr && !is_any) {
    standstill.suspect = core::Suspect{one->rank, one->host, one->device};
    if (one->rank == mine.rank) {
      text += fmt::format(" for its own GPU, which does not answer: {}", format_rank(*one));
    } else {
      text += " for " + describe_suspect(status, *one);
      if (!others.empty())
        text += fmt::format("; the same holds of rank {}", format_rank_list(others));
    }
  } else if (is_any) {
    text += fmt::format(
        " for its own GPU, as other ranks do (rank {}), all after the same step: one of these "
        "GPUs or a link between them hangs",
        format_rank_list(others));
  } else if (reports.size() > 1) {
    text += ": all other ranks wait too";
    for (const auto& other : reports) {
      if (other.rank == mine.rank || &other - reports.data() > 8) continue;
      text += fmt::format(", rank {} for {} in {}", other.rank, seconds_text(other.waits_s),
                          other.call);
    }
    text += "; a message between them is lost";
  } else {
    text += " for other ranks: one of them, its node or its disk stands still";
  }
  standstill.message =
      text +
      ". All ranks end; the same command goes on from the last checkpoint. If it only was slow, "
      "raise partition.wait_limit_seconds";
  return standstill;
}

void end_stalled_process(double waited_s, const std::string& what,
                         const std::function<bool()>& has_moved) {
  const auto mine = report_of(own_record(), core::seconds_now());
  stagger_by_rank(mine.rank);
  if (has_moved && has_moved()) return;
  if (!is_first_to_report()) {
    // The reporting rank ends this process too.
    std::this_thread::sleep_for(10s);
    std::_Exit(3);
  }
  auto standstill = explain_stall(mine, waited_s, all_reports());
  if (!what.empty()) standstill.message += " (" + what + ")";
  core::print_error(standstill.message, core::Outcome::hang);
  // The disk itself may be stalled, so writing the report gets two seconds.
  std::thread([standstill] {
    call_stall_handler(standstill);
    std::_Exit(3);
  }).detach();
  std::this_thread::sleep_for(2s);
  std::_Exit(3);
}

}  // namespace nfold::comm
