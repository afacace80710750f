// The table of sampled means, and what it says of the next run.
// SPDX-License-Identifier: BSD-3-Clause

#include "plan/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "plan/history_database.hpp"

namespace nfold::plan {
namespace {

constexpr std::int64_t most_rows = 1000;
constexpr const char* schema =
    "CREATE TABLE IF NOT EXISTS sampled (time TEXT, host TEXT, version TEXT, model TEXT,"
    " observable TEXT, species TEXT, residues REAL, sampled_ps REAL, mean REAL, standard_error "
    "REAL)";

/// 0: not alike; 1: of similar length; 2: the same species.
int likeness(const SampledMean& row, const SampledMean& planned) {
  constexpr double most = 1.25;
  if (row.observable != planned.observable) return 0;
  const double ratio = row.residues / std::max(1.0, planned.residues);
  if (ratio < 1 / most || ratio > most) return 0;
  return row.of == planned.of && row.residues == planned.residues ? 2 : 1;
}

std::optional<ExpectedError> expected_error(const std::vector<SampledRow>& rows,
                                            const SampledMean& planned) {
  constexpr int newest = 10;
  int best = 1;
  for (const auto& row : rows) best = std::max(best, likeness(row.mean, planned));
  ExpectedError expected{planned, 0};
  int measured = 0;
  double means = 0, variances = 0;
  double weights = 0, weighted = 0, squares = 0;  // by inverse variances, of the same species
  for (const auto& [time, host, version, model, known] : rows) {
    if (expected.runs == newest) break;
    if (likeness(known, planned) < best) continue;
    means += known.mean;
    variances += known.standard_error * known.standard_error * known.sampled_ps;
    ++expected.runs;
    if (best < 2 || !(known.standard_error > 0)) continue;
    const double weight = 1 / (known.standard_error * known.standard_error);
    weights += weight;
    weighted += weight * known.mean;
    squares += weight * known.mean * known.mean;
    ++measured;
  }
  if (expected.runs == 0 || planned.sampled_ps <= 0) return std::nullopt;
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
  const auto database = history_to_write(file, schema);
  Statement insert(database, "INSERT INTO sampled VALUES (?,?,?,?,?,?,?,?,?,?)");
  insert.bind_all(row.time, row.host, row.version, row.model, row.mean.observable, row.mean.of,
                  row.mean.residues, row.mean.sampled_ps, row.mean.mean, row.mean.standard_error);
  (void)insert.step();
}

std::vector<SampledRow> sampled_rows(const std::filesystem::path& file, const std::string& model) {
  const auto database = history_to_read(file, "sampled");
  if (!database) return {};
  Statement select(
      *database,
      "SELECT time, host, version, model, observable, species, residues, sampled_ps,"
      " mean, standard_error FROM sampled WHERE model = ? ORDER BY rowid DESC LIMIT ?");
  select.bind(model);
  select.bind(most_rows);
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

}  // namespace nfold::plan
