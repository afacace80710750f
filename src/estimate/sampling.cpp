// History table of sampled means, and the expected errors of a run.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "estimate/history_database.hpp"

namespace nfold::estimate {
namespace {

constexpr std::int64_t most_sampled_rows = 1000;
// Not `sampled`, a table of older histories that lacks the state.
constexpr const char* sampled_schema =
    "CREATE TABLE IF NOT EXISTS sampled_states (time TEXT, host TEXT, version TEXT, model TEXT,"
    " observable TEXT, species TEXT, residues REAL, sampled_ps REAL, mean REAL, standard_error "
    "REAL, state TEXT)";

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
  for (const auto& [time, host, version, model, known] : rows) {
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
  const auto database = history_to_write(file, sampled_schema);
  Statement insert(database, "INSERT INTO sampled_states VALUES (?,?,?,?,?,?,?,?,?,?,?)");
  insert.bind_all(row.time, row.host, row.version, row.model, row.mean.observable, row.mean.of,
                  row.mean.residues, row.mean.sampled_ps, row.mean.mean, row.mean.standard_error,
                  row.mean.state);
  (void)insert.step();
}

std::vector<SampledRow> sampled_rows(const std::filesystem::path& file, const std::string& model) {
  const auto database = history_to_read(file, "sampled_states");
  if (!database) return {};
  Statement select(*database,
                   "SELECT time, host, version, model, observable, species, residues, sampled_ps,"
                   " mean, standard_error, state FROM sampled_states WHERE model = ? ORDER BY "
                   "rowid DESC LIMIT ?");
  select.bind(model);
  select.bind(most_sampled_rows);
  std::vector<SampledRow> rows;
  while (select.step()) {
    SampledRow row;
    row.time = select.text();
    row.host = select.text();
    row.version = select.text();
    row.model = select.text();
    row.mean.observable = select.text();
    row.mean.of = select.text();
    row.mean.residues = select.real();
    row.mean.sampled_ps = select.real();
    row.mean.mean = select.real();
    row.mean.standard_error = select.real();
    row.mean.state = select.text();
    rows.push_back(std::move(row));
  }
  return rows;
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
