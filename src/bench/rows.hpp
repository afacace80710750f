// Measurements as rows that say everything by themselves: JSON, CSV, and read back for comparison.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/measure.hpp"

namespace nfold::bench {

/// What all rows of one call share.
struct BenchContext {
  std::string date;  ///< of its beginning, UTC, "2026-11-21T20:03:15Z"
  std::string host, device, version;
  int ranks = 1;
  std::string precision;  ///< "mixed" or "double"
  std::string overrides;  ///< of --set, with blanks between them
};
/// Now, here.
[[nodiscard]] BenchContext bench_context(int ranks);

/// One system: measured, or failed with a reason.
struct BenchResult {
  std::string system;
  std::int64_t residues = 0, chains = 0;
  int replicas = 0;  ///< as in BenchSystem
  double time_step_ps = 0;
  std::string reason;  ///< of a failure; empty: measured
  Measurement measurement;
  double build_seconds = 0;    ///< topology and first coordinates
  double warm_up_seconds = 0;  ///< minimisation, partition, steps before the timing
  std::optional<double> predicted_steps_per_second = {};  ///< by a machine's entry, from the start
};

struct LeftOut {
  std::string system, reason;
};

struct BenchReport {
  BenchContext context;
  std::vector<BenchResult> results;
  std::vector<LeftOut> left_out;
};

/// A row a measurement, one for a system that failed; and what was left out.
[[nodiscard]] std::string json_text(const BenchReport& report);
/// The same rows; a header, fields with commas in quotes (RFC 4180, but lines end in \n).
[[nodiscard]] std::string csv_text(const BenchReport& report);

/// Speeds of an earlier call, by system and precision: of its fewest ranks, the median.
class EarlierSpeeds {
 public:
  struct Speed {
    double steps_per_second = 0;
    int ranks = 1;
  };
  EarlierSpeeds() = default;
  /// Text of a file of json_text() or csv_text(); `file` names it in errors. InputError.
  EarlierSpeeds(std::string_view text, const std::string& file);
  [[nodiscard]] std::optional<Speed> find(const std::string& system,
                                          const std::string& precision) const;

 private:
  std::map<std::pair<std::string, std::string>, Speed> speeds_;
};

}  // namespace nfold::bench
