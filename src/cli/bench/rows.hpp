// Self-contained rows of measurements as JSON and CSV, and their reader.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bench/measure.hpp"

namespace nfold::bench {

/// Columns that all rows of one call share.
struct BenchContext {
  std::string date;  ///< start, UTC, "2026-11-21T20:03:15Z"
  std::string host, device, version;
  int ranks = 1;
  std::string precision;  ///< "mixed" or "double"
  std::string overrides;  ///< values of --set, separated by blanks
};
/// Returns the context of this call.
[[nodiscard]] BenchContext bench_context(int ranks);

/// Result of one system: measured, or failed with a reason.
struct BenchResult {
  std::string system;
  std::int64_t residues = 0, chains = 0;
  int replicas = 0;  ///< see BenchSystem
  double time_step_ps = 0;
  std::string reason;  ///< reason of a failure; empty: measured
  Measurement measurement;
  double build_seconds = 0;    ///< topology and first coordinates
  double warm_up_seconds = 0;  ///< minimisation, partition, steps before the timing
  std::optional<double> predicted_steps_per_second =
      {};  ///< estimate by a machine's entry, before the warm-up
};

struct LeftOut {
  std::string system, reason;
};

struct BenchReport {
  BenchContext context;
  std::vector<BenchResult> results;
  std::vector<LeftOut> left_out;
};

/// Returns a row per measurement, one per failed system, and the systems left out.
[[nodiscard]] std::string json_text(const BenchReport& report);
/// Returns these rows as CSV, below a header.
[[nodiscard]] std::string csv_text(const BenchReport& report);

/// Speeds of an earlier call, by system and precision: the median at its fewest ranks.
class EarlierSpeeds {
 public:
  struct Speed {
    double steps_per_second = 0;
    int ranks = 1;
  };
  EarlierSpeeds() = default;
  /// Parses output of json_text() or csv_text(); `file` is named in errors. Throws InputError.
  EarlierSpeeds(std::string_view text, const std::string& file);
  [[nodiscard]] std::optional<Speed> find(const std::string& system,
                                          const std::string& precision) const;

 private:
  std::map<std::pair<std::string, std::string>, Speed> speeds_;
};

}  // namespace nfold::bench
