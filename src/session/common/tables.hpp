// Tables of NAME.observables.h5 and NAME.ensemble.h5, in the order in which they are added.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "analysis/result.hpp"
#include "analysis/thermodynamics/folding.hpp"
#include "io/observables_file.hpp"

namespace nfold::common {

/// Tables as io::write_observables() takes them. Names, units and descriptions: io::ObservedTable.
class Tables {
 public:
  /// Adds a table with this extent.
  void add(std::string path, std::string unit, std::string description,
           std::vector<std::int64_t> extent, std::vector<double> values) {
    all_.push_back({std::move(path), std::move(unit), std::move(description), std::move(extent),
                    std::move(values)});
  }
  /// Adds a single number.
  void add_number(std::string path, std::string unit, std::string description, double value) {
    add(std::move(path), std::move(unit), std::move(description), {}, {value});
  }
  /// Adds a table of whole numbers, which are stored as such. Values may be of any type.
  template <class Values>
  void add_whole(std::string path, std::string description, std::vector<std::int64_t> extent,
                 const Values& values) {
    all_.push_back({std::move(path),
                    "",
                    std::move(description),
                    std::move(extent),
                    {},
                    std::vector<std::int64_t>(values.begin(), values.end())});
  }
  /// Adds a column of numbers of any type. Whole numbers are stored as such.
  template <class Values>
  void add_column(std::string path, std::string unit, std::string description,
                  const Values& values) {
    std::vector<std::int64_t> extent{static_cast<std::int64_t>(values.size())};
    if constexpr (std::is_integral_v<typename Values::value_type>) {
      add_whole(std::move(path), std::move(description), std::move(extent), values);
    } else {
      add(std::move(path), std::move(unit), std::move(description), std::move(extent),
          {values.begin(), values.end()});
    }
  }
  /// Adds a row of a value and its error for each estimate.
  void add_estimates(std::string path, std::string unit, std::string description,
                     std::span<const thermodynamics::Estimate> estimates) {
    std::vector<double> values;
    values.reserve(2 * estimates.size());
    for (const auto& one : estimates) values.insert(values.end(), {one.value, one.error});
    add(std::move(path), std::move(unit), std::move(description),
        {static_cast<std::int64_t>(estimates.size()), 2}, std::move(values));
  }
  void add(analysis::Result result) {
    all_.push_back({std::move(result.path), std::move(result.unit), std::move(result.description),
                    std::move(result.extent), std::move(result.values), std::move(result.counts)});
  }
  void add(io::ObservedTable table) { all_.push_back(std::move(table)); }

  [[nodiscard]] const std::vector<io::ObservedTable>& all() const { return all_; }

 private:
  std::vector<io::ObservedTable> all_;
};

}  // namespace nfold::common
