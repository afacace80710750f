// Constraints of chain growth, and the order in which residues are placed.
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <stdexcept>

#include "model/start/chain_growth.hpp"

namespace nfold::start {
namespace {

bool closes_flexible_chain(const topology::Topology& topology, int low, int high,
                           const std::vector<char>& is_rigid) {
  const auto index = topology.residues[static_cast<std::size_t>(low)].chain;
  const topology::Chain& chain = topology.chains[static_cast<std::size_t>(index)];
  if (!chain.is_closed || low != chain.first || high != chain.first + chain.count - 1) return false;
  const auto first = is_rigid.begin() + low;
  return is_rigid.empty() ||
         std::none_of(first, first + chain.count, [](char r) { return r != 0; });
}

}  // namespace

GrowthRules::GrowthRules(const topology::Topology& topology, const std::vector<char>& is_rigid)
    : bond_nm(topology.residues.size()),
      angle_rad(topology.angles.empty() ? 0 : topology.residues.size()),
      branch_offset(0),
      no_core_13(topology.residues.size(), false),
      type(topology.residues.size()) {
  const auto rigid = [&is_rigid](int id) {
    return !is_rigid.empty() && is_rigid[static_cast<std::size_t>(id)] != 0;
  };
  std::size_t id = 0;
  for (const auto& residue : topology.residues) type.set(id++, residue.type);
  const auto is_in_chain = [&topology](int low, int high) {
    return topology.residues[static_cast<std::size_t>(low)].chain ==
           topology.residues[static_cast<std::size_t>(high)].chain;
  };
  for (const auto& bond : topology.bonds) {
    const auto [low, high] = std::minmax(bond.i, bond.j);
    if (high != low + 1 || !is_in_chain(low, high)) continue;
    bond_nm.set(static_cast<std::size_t>(high), bond.length_nm);
  }
  for (const auto& bond : topology.bonds) {
    const auto [low, high] = std::minmax(bond.i, bond.j);
    const auto at = static_cast<std::size_t>(high);
    if (high == low + 1 && is_in_chain(low, high)) continue;
    if (is_in_chain(low, high) && bond_nm[at] == 0) {
      if (branch_offset.empty()) branch_offset = RepeatedNumbers<int>(topology.residues.size());
      bond_nm.set(at, bond.length_nm);
      branch_offset.set(at, high - low);
    } else if (closes_flexible_chain(topology, low, high, is_rigid)) {
      closing[low] = {high, bond.length_nm};
    } else if (!rigid(low) || !rigid(high)) {
      throw std::invalid_argument(
          "an unfolded start cannot close the bond " + topology::residue_label(topology, bond.i) +
          " - " + topology::residue_label(topology, bond.j) +
          " (only chains and their branches can be grown); start from native");
    }
  }
  for (const auto& angle : topology.angles) {
    const auto [low, high] = std::minmax(angle.i, angle.k);
    if (angle.j == anchor(high) && low == anchor(angle.j)) {
      angle_rad.set(static_cast<std::size_t>(high), angle.theta0_rad);
      no_core_13[static_cast<std::size_t>(high)] = true;
    }
  }
  for (const auto& [low, high] : topology.exclusions) {
    if (const int before = anchor(high); before >= 0 && low == anchor(before)) {
      no_core_13[static_cast<std::size_t>(high)] = true;
    }
  }
  if (topology.contact_count() == 0) return;
  first_pair.assign(topology.residues.size() + 1, 0);
  const auto for_each_end = [&topology](auto&& visit) {
    const auto both = [&visit](int i, int j, double distance_nm) {
      visit(static_cast<std::size_t>(i), j, distance_nm);
      visit(static_cast<std::size_t>(j), i, distance_nm);
    };
    for (const auto& c : topology.contacts_12_10) both(c.i, c.j, c.distance_nm);
    for (const auto& c : topology.contacts_gaussian) both(c.i, c.j, c.distance_nm);
  };
  for_each_end([this](std::size_t i, int, double) { ++first_pair[i + 1]; });
  for (std::size_t i = 1; i < first_pair.size(); ++i) first_pair[i] += first_pair[i - 1];
  pair.resize(first_pair.back());
  std::vector<std::size_t> fill(first_pair.begin(), first_pair.end() - 1);
  for_each_end([this, &fill](std::size_t i, int other, double distance_nm) {
    pair[fill[i]++] = {other, distance_nm};
  });
}

namespace {

class GrowthStepBuilder {
 public:
  GrowthStepBuilder(const GrowthRules& rules, const topology::Chain& chain)
      : rules_(rules), first_(chain.first), end_(chain.first + chain.count) {}

  std::vector<GrowthStep> plan(const std::vector<char>& is_rigid) {
    const auto next_rigid = [&](int from) {
      while (from < end_ && (is_rigid.empty() || is_rigid[static_cast<std::size_t>(from)] == 0)) {
        ++from;
      }
      return from;
    };
    int rigid = next_rigid(first_);
    if (rigid == end_) {
      steps_.push_back({.id = first_});
      grow_forward(first_ + 1, end_);
      if (const auto closing = rules_.closing.find(first_); closing != rules_.closing.end()) {
        close_ring(closing->second.length_nm);
      }
      return steps_;
    }
    grow_backward(rigid - 1, first_);
    while (rigid < end_) {
      const int next = next_rigid(rigid + 1);
      if (next == end_) {
        grow_forward(rigid + 1, end_);
      } else if (next > rigid + 1) {
        bridge(rigid + 1, next);
      }
      rigid = next;
    }
    return steps_;
  }

 private:
  [[nodiscard]] double bond(int id) const { return rules_.bond_nm[static_cast<std::size_t>(id)]; }
  [[nodiscard]] double angle(int id) const {
    return rules_.angle_rad.empty() ? 0 : rules_.angle_rad[static_cast<std::size_t>(id)];
  }

  /// Plans a residue from the one before it (toward = -1) or after it (1).
  void add_step(int id, int toward) {
    const int anchor = id + toward, behind = anchor + toward;
    GrowthStep step{.id = id, .anchor = anchor, .bond_nm = bond(std::max(id, anchor))};
    const bool is_of_chain = behind >= first_ && behind < end_;
    if (step.bond_nm > 0 && is_of_chain && bond(std::max(anchor, behind)) > 0) {
      step.behind = behind;
      step.angle_rad = angle(std::max(id, behind));
    }
    steps_.push_back(step);
  }
  /// Plans first .. end - 1, each from the residue before.
  void grow_forward(int first, int end) {
    for (int i = first; i < end; ++i) add_step(i, -1);
  }
  /// Plans `from` down to `last`, each from the residue after.
  void grow_backward(int from, int last) {
    for (int i = from; i >= last; --i) add_step(i, 1);
  }
  /// Makes all residues but the first lead back to it. Throws std::invalid_argument for a chain
  /// with a gap.
  void close_ring(double closing_nm) {
    double reach_nm = closing_nm;
    steps_.back().target_bond_nm = closing_nm;
    for (std::size_t s = steps_.size(); s-- > 1;) {
      if (steps_[s].bond_nm == 0) {
        throw std::invalid_argument(
            "an unfolded start cannot close a chain that has a gap; bridge it by gaps: bridge");
      }
      steps_[s].target = first_;
      steps_[s].reach_nm = reach_nm;
      reach_nm += steps_[s].bond_nm;
    }
  }
  /// Plans the residues before `target`, which is placed; if the chain is broken, both ends are
  /// free.
  void bridge(int first, int target) {
    for (int i = first; i <= target; ++i) {
      if (bond(i) > 0) continue;
      grow_forward(first, i);
      grow_backward(target - 1, i);
      return;
    }
    const std::size_t begin = steps_.size();
    grow_forward(first, target);
    double reach_nm = 0;
    for (std::size_t s = steps_.size(); s-- > begin;) {
      reach_nm += bond(steps_[s].id + 1);
      steps_[s].target = target;
      steps_[s].reach_nm = reach_nm;
    }
    steps_.back().target_bond_nm = bond(target);
  }

  const GrowthRules& rules_;
  int first_, end_;
  std::vector<GrowthStep> steps_;
};

}  // namespace

namespace {

/// Order of growth of a branched chain: each branch from the residue at which it begins.
class BranchedGrowth {
 public:
  BranchedGrowth(const GrowthRules& rules, const topology::Chain& chain)
      : rules_(rules),
        first_(chain.first),
        end_(chain.first + chain.count),
        bonded_(static_cast<std::size_t>(chain.count)),
        parent_(static_cast<std::size_t>(chain.count), unplaced) {
    for (int id = first_; id < end_; ++id) {
      if (bond(id) == 0) continue;
      bonded(id).push_back(rules.anchor(id));
      bonded(rules.anchor(id)).push_back(id);
    }
  }

  std::vector<GrowthStep> plan(const std::vector<char>& is_rigid) {
    for (int id = first_; id < end_; ++id) {
      if (!is_rigid.empty() && is_rigid[static_cast<std::size_t>(id)] != 0) parent(id) = root;
    }
    const auto rigid = parent_;
    for (int id = first_; id < end_; ++id) {
      if (rigid[static_cast<std::size_t>(id - first_)] == root) grow_from(id);
    }
    for (int id = first_; id < end_; ++id) {
      if (parent(id) != unplaced) continue;
      add_start(id);
      grow_from(id);
    }
    return steps_;
  }

 private:
  static constexpr int unplaced = -2, root = -1;  ///< values of parent_ beside ids

  [[nodiscard]] double bond(int id) const { return rules_.bond_nm[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::vector<int>& bonded(int id) {
    return bonded_[static_cast<std::size_t>(id - first_)];
  }
  [[nodiscard]] int& parent(int id) { return parent_[static_cast<std::size_t>(id - first_)]; }

  /// Plans the first residue of a part that is not bonded to what is placed.
  void add_start(int id) {
    parent(id) = root;
    int anchor = -1;
    for (int other = first_; other < end_ && anchor < 0; ++other) {
      if (other != id && parent(other) != unplaced) anchor = other;
    }
    if (id > first_ && parent(id - 1) != unplaced) anchor = id - 1;
    steps_.push_back({.id = id, .anchor = anchor});
  }

  /// Plans all that is bonded to a placed residue, branch by branch.
  void grow_from(int start) {
    std::vector<int> open{start};
    while (!open.empty()) {
      const int from = open.back();
      open.pop_back();
      if (from != start) add_step(from);
      const auto& next = bonded(from);
      for (auto it = next.rbegin(); it != next.rend(); ++it) {
        if (*it == parent(from) || (parent(from) == root && parent(*it) == root)) continue;
        if (parent(*it) != unplaced) {
          if (parent(*it) == from) continue;
          throw std::invalid_argument(
              "an unfolded start cannot grow a linker of a branched chain between rigid parts; "
              "start "
              "from native");
        }
        parent(*it) = from;
        open.push_back(*it);
      }
    }
  }

  void add_step(int id) {
    const int anchor = parent(id);
    GrowthStep step{.id = id, .anchor = anchor, .bond_nm = bond(std::max(id, anchor))};
    step.behind = parent(anchor);
    if (step.behind == root) {
      // Any residue that is placed beside the anchor defines the angle.
      for (const int other : bonded(anchor)) {
        if (other != id && parent(other) == root) step.behind = other;
      }
    }
    if (step.behind >= 0) {
      const int high = std::max(id, step.behind), low = std::min(id, step.behind);
      const bool has_term = anchor == rules_.anchor(high) && low == rules_.anchor(anchor);
      if (has_term && !rules_.angle_rad.empty()) {
        step.angle_rad = rules_.angle_rad[static_cast<std::size_t>(high)];
      }
    }
    steps_.push_back(step);
  }

  const GrowthRules& rules_;
  int first_, end_;
  std::vector<std::vector<int>> bonded_;  // (residues of the chain)
  std::vector<int> parent_;               // (residues of the chain) residue from which it grows
  std::vector<GrowthStep> steps_;
};

}  // namespace

std::vector<GrowthStep> growth_steps(const GrowthRules& rules, const topology::Chain& chain,
                                     const std::vector<char>& is_rigid) {
  if (rules.is_branched(chain)) return BranchedGrowth(rules, chain).plan(is_rigid);
  return GrowthStepBuilder(rules, chain).plan(is_rigid);
}

}  // namespace nfold::start
