// Energies of residues from terms and pairs, and their histograms.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/run/shared_residue_energies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/energy_histograms.hpp"
#include "analysis/sparse_counts.hpp"
#include "analysis/word_stream.hpp"
#include "engine/engine.hpp"
#include "engine/forces/single_energies.hpp"
#include "replicas/replica_observer.hpp"
#include "session/run/residue_blocks.hpp"
#include "session/run/space_slices.hpp"
#include "session/setup/row_owners.hpp"

namespace nfold::run {
namespace {

using analysis::SparseCounts;
using Point = std::array<double, 3>;

// Margin for the pair energy of a residue in a condensate model, either way [kJ/mol].
constexpr double pairs_kj_mol = 30;

std::int64_t fixed_energy(double kj_mol) {
  constexpr double most = engine::largest_counted_energy_kj_mol;
  // NaN counts as the largest energy.
  const double counted = kj_mol < most ? (kj_mol > -most ? kj_mol : -most) : most;
  return std::llrint(counted * 0x1p32);
}
double energy_kj_mol(std::int64_t fixed) { return static_cast<double>(fixed) * 0x1p-32; }

analysis::EnergyRange range_of(const topology::Topology& topology, double kelvin) {
  replicas::ObserverPlan plan;
  replicas::set_ranges(topology, kelvin, plan);
  const bool only_repels = topology.short_range.form == topology::ShortRangeForm::repulsion_12 &&
                           !topology.electrostatics.acts();
  const double more = only_repels ? 0 : pairs_kj_mol;
  return {plan.lowest_energy_kj_mol - more, plan.highest_energy_kj_mol + more};
}

Point nearest(const system::Box& box, const Point& from, const Point& to) {
  Point d{};
  for (std::size_t k = 0; k < 3; ++k) d[k] = box.nearest_nm(k, to[k] - from[k]);
  return d;
}

class ResidueEnergies final : public SharedAccumulator {
 public:
  ResidueEnergies(const comm::Communicator& communicator, const topology::Topology& topology,
                  double kelvin)
      : communicator_(communicator),
        topology_(topology),
        histograms_(topology, range_of(topology, kelvin), own_rows(communicator, topology)),
        energies_(topology),
        blocks_(communicator, topology.residue_count()),
        kelvin_(kelvin) {
    topology::BondedKinds::for_each([&](auto kind) {
      auto& mine = terms_.emplace_back();
      if (topology::is_bias<decltype(kind)>) return;
      const auto& terms = topology::terms_of(topology, kind);
      for (std::size_t t = 0; t < terms.size(); ++t) {
        const auto& ends = terms[t].parts().residues;
        blocks_.add_term(ends);
        if (blocks_.own().has(ends[0])) mine.push_back(t);
      }
    });
    blocks_.end_terms();
  }

  [[nodiscard]] std::string name() const override { return "residue_energy"; }
  void add(const system::State& mine) override {
    Found found;
    add_terms(blocks_.positions(topology_.box, mine), found);
    add_pairs(mine, found);
    const auto energies = blocks_.sums(found);
    SparseCounts met;
    for (std::size_t k = 0; k < energies.size(); ++k) {
      const int residue = blocks_.own().first + static_cast<int>(k);
      met.add(histograms_.key_of(residue, energy_kj_mol(energies[k])));
    }
    histograms_.add(setup::gather_own_rows(communicator_, histograms_.residues().count(), met));
  }
  [[nodiscard]] std::vector<std::int64_t> saved() const override {
    const auto all = communicator_.gather(histograms_.entries());
    if (!communicator_.is_root()) return {};
    analysis::WordWriter words;
    histograms_.save(all, words);
    return words.words();
  }
  [[nodiscard]] bool restore(std::span<const std::int64_t> words) override {
    return histograms_.restore(words);
  }
  [[nodiscard]] std::vector<analysis::Result> results(
      std::span<const std::int64_t> words) const override {
    analysis::EnergyHistograms whole(topology_, range_of(topology_, kelvin_),
                                     {0, histograms_.residues().count()});
    return whole.restore(words) ? whole.results() : std::vector<analysis::Result>();
  }

 private:
  using Found = std::vector<ResidueBlocks::Amount>;

  static analysis::RowRange own_rows(const comm::Communicator& communicator,
                                     const topology::Topology& topology) {
    return analysis::rows_of_share(analysis::DistinctResidues(topology).count(),
                                   communicator.rank(), communicator.size());
  }

  void add_terms(const BlockPositions& x_nm, Found& found) const {
    std::size_t which = 0;
    topology::BondedKinds::for_each([&](auto kind) {
      const auto& terms = topology::terms_of(topology_, kind);
      for (const auto t : terms_[which]) {
        const auto& ends = terms[t].parts().residues;
        std::array<double, 9> d{};
        for (std::size_t e = 0; e + 1 < ends.size(); ++e) {
          const auto step = nearest(topology_.box, x_nm.of(ends[e]), x_nm.of(ends[e + 1]));
          std::ranges::copy(step, d.begin() + static_cast<std::ptrdiff_t>(3 * e));
        }
        const auto share =
            fixed_energy(energies_.of_term(which, t, d.data()) / static_cast<double>(ends.size()));
        for (const int end : ends) found.push_back({end, share});
      }
      ++which;
    });
  }

  void add_pairs(const system::State& mine, Found& found) const {
    const auto& charges = topology_.electrostatics;
    const double short_nm = topology_.short_range.cutoff_nm;
    const double far_nm = charges.acts() ? std::max(short_nm, charges.cutoff_nm) : short_nm;
    const auto slice = gather_slice(communicator_, topology_.box, mine, far_nm);
    const auto is_excluded = [this](int i, int j) {
      return std::ranges::binary_search(topology_.exclusions, std::pair(i, j));
    };
    add_pairs(slice, short_nm, found, [&](int i, int j, double squared) {
      return is_excluded(i, j) ? 0 : energies_.short_range(i, j, squared);
    });
    if (!charges.acts()) return;
    const auto charged = slice.filter(
        [this](int id) { return topology_.residues[static_cast<std::size_t>(id)].charge_e != 0; });
    add_pairs(charged, charges.cutoff_nm, found, [&](int i, int j, double squared) {
      const bool acts = !is_excluded(i, j) ||
                        std::ranges::binary_search(topology_.charged_exclusions, std::pair(i, j));
      return acts ? energies_.electrostatic(i, j, squared) : 0;
    });
  }
  template <class Energy>
  void add_pairs(const SliceResidues& slice, double range_nm, Found& found,
                 const Energy& energy) const {
    std::vector<std::int64_t> sums(slice.id.size(), 0);
    slice.for_each_pair(topology_.box, range_nm, [&](std::size_t a, std::size_t b) {
      const int i = slice.id[a], j = slice.id[b];
      const auto d = nearest(topology_.box, slice.x_nm[a], slice.x_nm[b]);
      const auto share = fixed_energy(energy(i, j, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / 2);
      sums[a] += share;
      sums[b] += share;
    });
    for (std::size_t k = 0; k < sums.size(); ++k) {
      if (sums[k] != 0) found.push_back({slice.id[k], sums[k]});
    }
  }

  const comm::Communicator communicator_;
  const topology::Topology& topology_;
  analysis::EnergyHistograms histograms_;  // this rank's rows
  forces::SingleEnergies energies_;
  ResidueBlocks blocks_;
  std::vector<std::vector<std::size_t>> terms_;  // terms of this rank's block, by kind
  double kelvin_;
};

}  // namespace

std::unique_ptr<SharedAccumulator> make_residue_energies(const comm::Communicator& communicator,
                                                         const topology::Topology& topology,
                                                         double kelvin) {
  return std::make_unique<ResidueEnergies>(communicator, topology, kelvin);
}

}  // namespace nfold::run
