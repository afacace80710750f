// Coverage of terms: counted over all ranks, searched by name only if the count is wrong.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/coverage.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace nfold::domain {
namespace {

CoveredEnds expected_ends(const topology::Topology& topology) {
  CoveredEnds ends{};
  topology::BondedKinds::for_each([&](auto kind) {
    using Kind = decltype(kind);
    ends[topology::BondedKinds::index_of<Kind>()] = static_cast<std::int64_t>(
        topology::residues_per_term<typename Kind::Term> * terms_of(topology, kind).size());
  });
  return ends;
}

template <class Terms>
std::int64_t owned_ends(const Terms& terms, const std::vector<int>& computed,
                        const Ownership& owner, int rank) {
  std::int64_t count = 0;
  int last = -1;
  for (const int index : computed) {
    // A list that is not strictly ascending may hold a term twice, which could hide a missing one.
    if (index <= last || index >= static_cast<int>(terms.size())) {
      return std::numeric_limits<std::int32_t>::min();
    }
    last = index;
    for (const int id : terms[static_cast<std::size_t>(index)].parts().residues) {
      count += owner[static_cast<std::size_t>(id)] == rank ? 1 : 0;
    }
  }
  return count;
}

/// Returns the first term of a kind that this rank computes a wrong number of times; -1: none.
int first_fault(std::vector<int> computed, const std::vector<int>& due) {
  std::sort(computed.begin(), computed.end());
  const auto [have, should] =
      std::mismatch(computed.begin(), computed.end(), due.begin(), due.end());
  if (have == computed.end() && should == due.end()) return -1;
  if (have == computed.end()) return *should;
  return should == due.end() ? *have : std::min(*have, *should);
}

std::string label_of(const topology::Topology& topology, std::size_t kind, int index) {
  std::string label;
  topology::BondedKinds::at(kind, [&label](auto k) { label = k.name; });
  bool found = false;
  for_each_term(topology, kind, [&](int term, const auto& ids) {
    if (term != index) return;
    found = true;
    const char* separator = " ";
    for (const int id : ids) {
      label += separator + topology::residue_label(topology, id);
      separator = " - ";
    }
  });
  return found ? label : label + " number " + std::to_string(index);
}

[[noreturn]] void name_the_fault(const comm::Communicator& communicator,
                                 const topology::Topology& topology, const Ownership& owner,
                                 const LocalTerms& computed) {
  const auto due = local_terms(topology, owner, communicator.rank(), communicator.size());
  for (std::size_t k = 0; k < term_kinds; ++k) {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    const int fault = first_fault(computed.kind[k], due.kind[k]);
    const std::int64_t first = communicator.min(fault < 0 ? none : fault);
    if (first == none) continue;
    const bool here = fault == first;
    const auto rank = communicator.min(here ? communicator.rank() : none);
    const bool missing = std::find(computed.kind[k].begin(), computed.kind[k].end(), fault) ==
                         computed.kind[k].end();
    const bool is_missing = communicator.any(here && communicator.rank() == rank && missing);
    throw CoverageError(label_of(topology, k, static_cast<int>(first)) + " is " +
                        (is_missing ? "not computed" : "computed too often") + " by rank " +
                        std::to_string(rank) +
                        ": a defect of nfold's domain decomposition; please report it with the "
                        "input, and run on one rank meanwhile");
  }
  throw CoverageError(
      "the count of computed terms is off by no term that could be named: ranks differ in topology "
      "or ownership; please report it with the input");
}

}  // namespace

CoveredEnds covered_ends(const topology::Topology& topology, const Ownership& owner,
                         const LocalTerms& computed, int rank) {
  CoveredEnds ends{};
  topology::BondedKinds::for_each([&](auto kind) {
    using Kind = decltype(kind);
    ends[topology::BondedKinds::index_of<Kind>()] =
        owned_ends(terms_of(topology, kind), computed.of<Kind>(), owner, rank);
  });
  return ends;
}

void check_coverage(const comm::Communicator& communicator, const topology::Topology& topology,
                    const Ownership& owner, const LocalTerms& computed, CoveredEnds covered) {
  communicator.sum(std::span<std::int64_t>(covered));
  if (covered == expected_ends(topology)) return;
  name_the_fault(communicator, topology, owner, computed);
}

}  // namespace nfold::domain
