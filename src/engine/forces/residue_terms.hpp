// Device tables of the terms of each residue.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "device/device_array.hpp"
#include "engine/forces/term_parameters.hpp"
#include "kernels/resident/residue_energies.hpp"
#include "model/topology/topology.hpp"

namespace nfold::forces {

/// Table of a kernels term; each residue stores a copy of its terms.
template <class Term>
class ResidueTermTable {
 public:
  explicit ResidueTermTable(const std::string& name)
      : first_(name + ".first"), end_(name + ".ends"), parameter_(name + ".parameters") {}

  template <class Given>
  void build(const topology::Repeated<Given>& terms, std::size_t residues) {
    std::vector<std::vector<std::size_t>> of(residues);
    for (std::size_t k = 0; k < terms.size(); ++k) {
      for (const int end : terms[k].parts().residues)
        of[static_cast<std::size_t>(end)].push_back(k);
    }
    std::vector<std::int32_t> first{0}, end;
    std::vector<double> parameter;
    first.reserve(residues + 1);
    end.reserve(terms.size() * Term::ends * Term::ends);
    parameter.reserve(terms.size() * Term::ends * Term::parameters);
    for (const auto& own : of) {
      for (const auto k : own) {
        const auto ends = terms[k].parts().residues;
        const auto numbers = term_parameters(terms[k]);
        end.insert(end.end(), ends.begin(), ends.end());
        parameter.insert(parameter.end(), numbers.begin(), numbers.end());
      }
      first.push_back(static_cast<std::int32_t>(end.size() / Term::ends));
    }
    first_.upload(first);
    end_.upload(end);
    parameter_.upload(parameter);
  }
  [[nodiscard]] kernels::ResidueTerms<Term> read() const {
    return {first_.data(), end_.data(), parameter_.data()};
  }

 private:
  device::DeviceArray<std::int32_t> first_, end_;
  device::DeviceArray<double> parameter_;
};

}  // namespace nfold::forces
