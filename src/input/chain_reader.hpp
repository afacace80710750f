// Chain kinds and networks of a force-field file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "input/bead_table.hpp"

namespace nfold::input {

class ChainReader {
 public:
  ChainReader(Numbers& numbers, const BeadTable& beads, const std::vector<PairTerm>& terms)
      : numbers_(numbers), beads_(beads), terms_(terms) {}

  /// Reads the keys of a kind over those of `kind`, which has its name.
  void read(ChainKind& kind, const document::InputNode& node);
  /// Reads the keys of a network over those of `network`.
  static void read_network(Numbers& numbers, Network& network, const document::InputNode& node,
                           const std::string& path);

 private:
  void read_monomers(ChainKind& kind, SectionKeys& section);
  void read_exclusions(ChainKind& kind, SectionKeys& section);
  [[nodiscard]] int bead_type(const document::InputNode& name, const std::string& path);
  /// Reads `beads`, which a kind with one bead a monomer may leave out.
  bool read_beads(const ChainKind& kind, SectionKeys& section, std::size_t count,
                  std::vector<int>& beads, std::vector<int>& monomers);
  std::vector<ChainTerm> read_terms(const ChainKind& kind, SectionKeys& section,
                                    std::string_view key, std::size_t beads);
  void read_local_pairs(ChainKind& kind, SectionKeys& section);
  /// Reads a number, or `structure`; true if it is `structure`.
  bool read_or_structure(SectionKeys& section, std::string_view key, const Range& range,
                         double& value);

  Numbers& numbers_;
  const BeadTable& beads_;
  const std::vector<PairTerm>& terms_;
};

}  // namespace nfold::input
