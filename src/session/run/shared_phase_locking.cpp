// Sums of products of phases, some rows of the matrix on each rank.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/run/shared_phase_locking.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/thermodynamics/phase_tables.hpp"
#include "analysis/word_stream.hpp"
#include "replicas/host_phase.hpp"
#include "replicas/replica_observer.hpp"
#include "session/run/residue_blocks.hpp"

namespace nfold::run {
namespace {

using analysis::RowRange;
using Words = std::vector<std::int64_t>;

// Products cos cos, sin sin, cos sin and sin cos, in the order of
// kernels/resident/phase_locking.hpp.
constexpr std::size_t sums_of_pair = 4;

class PhaseLocking final : public SharedAccumulator {
 public:
  PhaseLocking(const comm::Communicator& communicator, const topology::Topology& topology,
               std::vector<int> residues)
      : communicator_(communicator),
        topology_(topology),
        residues_(std::move(residues)),
        columns_(static_cast<int>(residues_.size()) + 1),
        blocks_(communicator, topology.residue_count()),
        rows_(replicas::share_phase_rows(columns_, communicator.rank(), communicator.size())) {
    for (const int second : residues_) blocks_.add_term(ends_of(second));
    blocks_.end_terms();
    const auto first_of_block = [this](int residue) {
      return static_cast<int>(std::ranges::lower_bound(residues_, residue + 1) - residues_.begin());
    };
    own_ = {first_of_block(blocks_.own().first), first_of_block(blocks_.own().last)};
    undefined_.assign(static_cast<std::size_t>(own_.size()), 0);
    for (auto& part : sums_) part.assign(static_cast<std::size_t>(rows_.pairs(columns_)), 0);
  }

  [[nodiscard]] std::string name() const override { return "phase_locking"; }
  void add(const system::State& mine) override {
    const auto phases = all_phases(blocks_.positions(topology_.box, mine));
    std::size_t at = 0;
    for (int i = rows_.first; i < rows_.last; ++i) {
      const std::int64_t c = phases[static_cast<std::size_t>(i)].cosine;
      const std::int64_t s = phases[static_cast<std::size_t>(i)].sine;
      for (int j = i; j < columns_; ++j, ++at) {
        const auto& other = phases[static_cast<std::size_t>(j)];
        sums_[0][at] += c * other.cosine;
        sums_[1][at] += s * other.sine;
        sums_[2][at] += c * other.sine;
        sums_[3][at] += s * other.cosine;
      }
    }
  }
  [[nodiscard]] Words saved() const override {
    const auto undefined = communicator_.gather(std::span<const std::int64_t>(undefined_));
    Words sums;
    for (const auto& part : sums_) {
      const auto whole = communicator_.gather(std::span<const std::int64_t>(part));
      sums.insert(sums.end(), whole.begin(), whole.end());
    }
    if (!communicator_.is_root()) return {};
    analysis::WordWriter words;
    words.put_all(undefined);
    words.put_all(sums);
    return words.words();
  }
  [[nodiscard]] bool restore(std::span<const std::int64_t> words) override {
    const auto whole = parts_of(words);
    const auto pairs = whole.sums.size() / sums_of_pair;
    if (whole.undefined.size() != residues_.size() || pairs != all_pairs()) return false;
    std::ranges::copy(
        std::span(whole.undefined).subspan(static_cast<std::size_t>(own_.first), undefined_.size()),
        undefined_.begin());
    const auto first =
        static_cast<std::size_t>(replicas::phase_pair_index(rows_.first, rows_.first, columns_));
    for (std::size_t k = 0; k < sums_of_pair; ++k) {
      std::ranges::copy(std::span(whole.sums).subspan(k * pairs + first, sums_[k].size()),
                        sums_[k].begin());
    }
    return true;
  }
  [[nodiscard]] std::vector<analysis::Result> results(
      std::span<const std::int64_t> words) const override {
    const auto whole = parts_of(words);
    const std::array<double, 1> only{0};
    return thermodynamics::phase_tables({residues_, only, whole.sums, whole.undefined});
  }

 private:
  struct Parts {
    Words undefined, sums;
  };
  struct Phase {
    std::int32_t cosine, sine;
  };

  static std::array<int, 4> ends_of(int second) {
    return {second - 1, second, second + 1, second + 2};
  }
  static Parts parts_of(std::span<const std::int64_t> words) {
    analysis::WordReader from(words);
    Parts parts;
    parts.undefined = from.get_all();
    parts.sums = from.get_all();
    return parts;
  }
  [[nodiscard]] std::size_t all_pairs() const {
    return static_cast<std::size_t>(replicas::phase_pair_index(columns_, columns_, columns_));
  }
  /// Returns the phases of all residues, then a constant 1; counts undefined phases of this rank's
  /// block.
  [[nodiscard]] std::vector<Phase> all_phases(const BlockPositions& x_nm) {
    std::vector<Phase> mine;
    mine.reserve(undefined_.size());
    for (int p = own_.first; p < own_.last; ++p) {
      const auto ends = ends_of(residues_[static_cast<std::size_t>(p)]);
      std::array<double, 9> bonds{};
      for (std::size_t e = 0; e < 3; ++e) {
        const auto &from = x_nm.of(ends[e]), &to = x_nm.of(ends[e + 1]);
        for (std::size_t k = 0; k < 3; ++k) {
          bonds[3 * e + k] = topology_.box.nearest_nm(k, to[k] - from[k]);
        }
      }
      const auto phase = replicas::compute_bond_phase(bonds);
      if (!phase.is_defined) ++undefined_[static_cast<std::size_t>(p - own_.first)];
      mine.push_back({phase.cosine, phase.sine});
    }
    auto phases = communicator_.all_gather(std::span<const Phase>(mine));
    phases.push_back({replicas::HostPhase::counts, 0});
    return phases;
  }

  const comm::Communicator communicator_;
  const topology::Topology& topology_;
  std::vector<int> residues_;  // (phases) second of the four residues of each
  int columns_;                // number of phases, including the constant one
  ResidueBlocks blocks_;
  replicas::PhaseRowRange rows_;          // rows of the matrix on this rank
  RowRange own_;                          // phases that this rank computes
  Words undefined_;                       // (own)
  std::array<Words, sums_of_pair> sums_;  // (pairs of the rows)
};

}  // namespace

std::int64_t phase_locking_bytes(const topology::Topology& topology) {
  const auto rows = static_cast<std::int64_t>(replicas::phase_residues(topology).size()) + 1;
  return replicas::phase_pair_index(rows, rows, rows) *
         static_cast<std::int64_t>(sums_of_pair * sizeof(std::int64_t));
}

std::unique_ptr<SharedAccumulator> make_phase_locking(const comm::Communicator& communicator,
                                                      const topology::Topology& topology) {
  auto residues = replicas::phase_residues(topology);
  if (residues.empty()) return nullptr;
  return std::make_unique<PhaseLocking>(communicator, topology, std::move(residues));
}

}  // namespace nfold::run
