// Systems of equal chains and reproducible random numbers for the tests of accumulators.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "model/topology/topology.hpp"

namespace nfold::analysis_tests {

struct SpeciesPlan {
  int chains, residues;
  double mass_amu = 100;
};

/// Topology of equal chains in the order of the species, without terms.
inline topology::Topology chains_of(const std::vector<SpeciesPlan>& plan,
                                    const std::array<double, 3>& box_nm = {0, 0, 0}) {
  topology::Topology topology;
  topology.box.length_nm = box_nm;
  for (std::size_t s = 0; s < plan.size(); ++s) {
    topology.species.push_back({"S" + std::to_string(s), plan[s].chains});
    for (int c = 0; c < plan[s].chains; ++c) {
      topology::Chain chain;
      chain.first = topology.residue_count();
      chain.count = plan[s].residues;
      chain.species = static_cast<int>(s);
      for (int r = 0; r < plan[s].residues; ++r) {
        topology::Residue residue;
        residue.mass_amu = plan[s].mass_amu;
        residue.chain = static_cast<int>(topology.chains.size());
        topology.residues.push_back(residue);
      }
      topology.chains.push_back(chain);
    }
  }
  return topology;
}

/// Random numbers that are the same with every standard library.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) + 0.5) / 4294967296.0;
  }
  /// Sum of twelve uniform numbers: mean 0, variance 1.
  double nearly_normal() {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += uniform(0, 1);
    return sum;
  }
  std::vector<analysis::Point> points(std::size_t count, const analysis::Point& low,
                                      const analysis::Point& high) {
    std::vector<analysis::Point> x(count);
    for (auto& p : x) {
      for (std::size_t k = 0; k < 3; ++k) p[k] = uniform(low[k], high[k]);
    }
    return x;
  }

 private:
  std::mt19937 engine_;
};

inline const analysis::Result& find(const std::vector<analysis::Result>& results,
                                    const std::string& path) {
  for (const auto& result : results) {
    if (result.path == path) return result;
  }
  throw std::runtime_error("no result " + path);
}

}  // namespace nfold::analysis_tests
