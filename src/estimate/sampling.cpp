// History table of sampled means, and the expected errors of a run.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "estimate/history_database.hpp"

namespace nfold::estimate {
namespace {

// Not `sampled`, a table of older histories that lacks the state.
constexpr HistoryTable sampled_states{
    "sampled_states",
    "time TEXT, host TEXT, version TEXT, model TEXT, observable TEXT, species TEXT, residues REAL, "
    "sampled_ps REAL, mean REAL, standard_error REAL, state TEXT"};

constexpr auto columns = [](auto& row) {
  auto& [time, host, version] = row.origin;
  auto& mean = row.mean;
  return std::tie(time, host, version, row.model, mean.observable, mean.of, mean.residues,
                  mean.sampled_ps, mean.mean, mean.standard_error, mean.state);
};

bool is_alike(const SampledMean& row, const SampledMean& planned) {
  constexpr double most = 5;
  const double ratio = row.sampled_ps / planned.sampled_ps;
  return row.observable == planned.observable && row.of == planned.of &&
         row.state == planned.state && row.residues == planned.residues && ratio >= 1 / most &&
         ratio <= most;
}

std::optional<ExpectedError> expected_error(const std::vector<SampledRow>& rows,
                                            const SampledMean& planned) {
  constexpr int newest = 10;
  if (planned.sampled_ps <= 0) return std::nullopt;
  ExpectedError expected{planned, 0};
  int measured = 0;
  double means = 0, variances = 0;
  double weights = 0, weighted = 0, squares = 0;  // by inverse variances
  for (const auto& [origin, model, known] : rows) {
    if (expected.runs == newest) break;
    if (!is_alike(known, planned)) continue;
    means += known.mean;
    variances += known.standard_error * known.standard_error * known.sampled_ps;
    ++expected.runs;
    if (!(known.standard_error > 0)) continue;
    const double weight = 1 / (known.standard_error * known.standard_error);
    weights += weight;
    weighted += weight * known.mean;
    squares += weight * known.mean * known.mean;
    ++measured;
  }
  if (expected.runs == 0) return std::nullopt;
  if (measured > 1) {
    const double chi_squared = std::max(0.0, squares - weighted * weighted / weights);
    expected.scatter = std::sqrt(chi_squared / (measured - 1));
  }
  expected.mean.mean = means / expected.runs;
  expected.mean.standard_error = std::sqrt(variances / expected.runs / planned.sampled_ps);
  return expected;
}

}  // namespace

void append(const std::filesystem::path& file, const SampledRow& row) {
  append_row(file, sampled_states, columns(row));
}

std::vector<SampledRow> sampled_rows(const std::filesystem::path& file, const std::string& model) {
  return newest_rows<SampledRow>(file, sampled_states, columns, "model = ?", model);
}

std::vector<ExpectedError> expected_errors(const std::vector<SampledRow>& rows,
                                           const std::vector<SampledMean>& planned) {
  std::vector<ExpectedError> errors;
  for (const auto& one : planned) {
    if (auto expected = expected_error(rows, one)) errors.push_back(std::move(*expected));
  }
  return errors;
}

}  // namespace nfold::estimate
