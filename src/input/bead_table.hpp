// Beads and groups of a force-field file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "input/force_field_numbers.hpp"

namespace nfold::input {

/// Closeness of a name to each bead: 0 for the bead itself, 1, 2, ... for what it is `like`, more
/// for groups; negative: the name does not mean the bead.
using Closeness = std::vector<int>;

class BeadTable {
 public:
  /// has_spare_numbers: sigma_nm and lambda may be there although no term reads them.
  BeadTable(Numbers& numbers, const ForceFieldFile& file, bool has_spare_numbers);

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] const std::string& name(std::size_t bead) const { return beads_[bead].name; }
  /// Returns the bead of this name; nullopt if there is none.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  [[nodiscard]] std::vector<BeadType> types();

  /// Returns a number, its own or inherited; nullopt if the bead has none.
  std::optional<double> number(std::size_t bead, std::string_view name);
  /// Reports that a bead lacks a number, once.
  void complain_missing(std::size_t bead, std::string_view name, const std::string& reader);
  /// Names of a bead's numbers.
  [[nodiscard]] Scope scope(std::size_t bead);
  /// Names of the numbers of two beads, NAME_1 and NAME_2.
  [[nodiscard]] Scope pair_scope(std::size_t first, std::size_t second);

  /// Returns the closeness to a bead or group; null, with a problem, if the name is neither.
  const Closeness* closeness(const document::InputNode& name, const std::string& path);
  /// Reports numbers that nobody read.
  void complain_unused();

 private:
  struct Number {
    const document::InputNode* node;
    enum { unread, in_progress, read, failed } state = unread;
    double value = 0;
  };
  struct Bead {
    std::string name;
    const document::InputNode* node;
    int like = -1;
    std::map<std::string, Number, std::less<>> numbers;
  };
  void read_bead(const document::InputNode& name, const document::InputNode& node);
  void read_groups(const document::InputNode& root);
  void link_beads();
  void check_required();
  [[nodiscard]] std::string path(const Bead& bead) const;
  [[nodiscard]] Closeness closeness_to_bead(std::size_t target) const;
  const Closeness* group(const std::string& name);

  Numbers& numbers_;
  std::string key_;          ///< "beads" or "residues"
  std::vector<Bead> beads_;  ///< those that are types first
  std::size_t count_ = 0;    ///< number of types
  bool has_spare_numbers_;
  std::vector<std::string> number_names_;
  std::set<std::string, std::less<>> used_numbers_;
  std::set<std::pair<std::size_t, std::string>> missing_;
  struct Group {
    const document::InputNode* node;
    enum { unread, in_progress, read } state = unread;
    Closeness closeness;
  };
  std::map<std::string, Group, std::less<>> groups_;
  std::map<std::string, Closeness, std::less<>> of_beads_;
};

}  // namespace nfold::input
