// Contact maps within chains, between chains of a species and between species.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/blocked_sums.hpp"
#include "analysis/chain_kinds.hpp"
#include "analysis/frame.hpp"

namespace nfold::analysis {

/// Maps of contacts: two residues are in contact if their nearest images are closer than cutoff_nm.
/// [i][j] is the mean number, per frame and chain of the first species, of residues j of chains of
/// the second species in contact with residue i. The sum of a map between chains is the number of
/// contacts of a chain; the sum within chains is twice that, since both triangles are filled.
/// Neither falls as the box grows.
class ContactMaps final : public Accumulator {
 public:
  /// Whole tables, for up to dense_map_row_limit distinct residues.
  ContactMaps(const topology::Topology& topology, double cutoff_nm);

  /// Returns the memory of the tables [bytes].
  [[nodiscard]] static std::int64_t bytes(const ChainKinds& kinds);

  [[nodiscard]] std::string name() const override { return "contact_maps"; }
  void add(const Frame& frame) override;
  /// add() in parts, for several ranks that find contacts of one frame: zeroed counts (maps),
  /// add_pair() for each contact, end_frame().
  [[nodiscard]] std::vector<std::int64_t> zero_counts() const {
    return std::vector<std::int64_t>(maps_.size(), 0);
  }
  void add_pair(int i, int j, std::vector<std::int64_t>& found);
  void end_frame(std::span<const std::int64_t> found) { sums_.add(found); }
  /// Calls visit(counts) for each map.
  template <class Visit>
  void for_each_map(const Visit& visit) {
    for (auto& map : maps_) visit(std::span<std::int64_t>(map.count));
  }
  [[nodiscard]] std::vector<Result> results() const override;

 protected:
  void save_parameters(WordWriter& to) const override { to.put_number(cutoff_nm_); }
  void save_sums(WordWriter& to) const override;
  void restore_sums(WordReader& from) override;

 private:
  /// Map of species a and b. Between chains, a <= b: rows are residues of a chain of a, columns
  /// those of one of b. Within chains, a == b: both triangles are filled.
  struct Map {
    int a = 0, b = 0;
    bool within = false;
    std::vector<std::int64_t> count;
    [[nodiscard]] std::string path() const;
  };
  [[nodiscard]] std::int64_t residues(int species) const {
    return species_.kinds[static_cast<std::size_t>(species)].residues;
  }
  [[nodiscard]] std::size_t between(int a, int b) const;  // index into maps_, a <= b

  const topology::Topology& topology_;
  double cutoff_nm_;
  ChainKinds species_;
  std::vector<Map> maps_;  // within each species, then between
  BlockedSums sums_;       // (maps) number of contacts, each pair once
};

}  // namespace nfold::analysis
