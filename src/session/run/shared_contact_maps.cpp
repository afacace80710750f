// Contacts of slices of space, counted in dense tables or in rows of sparse maps.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/run/shared_contact_maps.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/contact_maps.hpp"
#include "analysis/sparse_contact_maps.hpp"
#include "session/job/collective_work.hpp"
#include "session/run/space_slices.hpp"
#include "session/setup/row_owners.hpp"

namespace nfold::run {
namespace {

using analysis::SparseCounts;

const char* const maps_name = "contact_maps";

class WholeMaps final : public SharedAccumulator {
 public:
  WholeMaps(const comm::Communicator& communicator, const topology::Topology& topology,
            double cutoff_nm)
      : communicator_(communicator),
        topology_(topology),
        cutoff_nm_(cutoff_nm),
        maps_(topology, cutoff_nm) {}

  [[nodiscard]] std::string name() const override { return maps_name; }
  void add(const system::State& mine) override {
    auto found = maps_.zero_counts();
    const auto slice = gather_slice(communicator_, topology_.box, mine, cutoff_nm_);
    slice.for_each_pair(topology_.box, cutoff_nm_, [&](std::size_t a, std::size_t b) {
      maps_.add_pair(slice.id[a], slice.id[b], found);
    });
    communicator_.sum(std::span<std::int64_t>(found));
    job::on_root(communicator_, [&] { maps_.end_frame(found); });
  }
  [[nodiscard]] std::vector<std::int64_t> saved() const override {
    auto whole = maps_;
    whole.for_each_map([this](std::span<std::int64_t> counts) { communicator_.sum(counts); });
    return communicator_.is_root() ? whole.saved() : std::vector<std::int64_t>();
  }
  [[nodiscard]] bool restore(std::span<const std::int64_t> words) override {
    // Rank 0 holds all earlier counts.
    if (communicator_.is_root()) return maps_.restore(words);
    return analysis::ContactMaps(topology_, cutoff_nm_).restore(words);
  }
  [[nodiscard]] std::vector<analysis::Result> results(
      std::span<const std::int64_t> words) const override {
    analysis::ContactMaps whole(topology_, cutoff_nm_);
    return whole.restore(words) ? whole.results() : std::vector<analysis::Result>();
  }

 private:
  const comm::Communicator communicator_;
  const topology::Topology& topology_;
  double cutoff_nm_;
  analysis::ContactMaps maps_;  // contacts found by this rank
};

class SparseMaps final : public SharedAccumulator {
 public:
  SparseMaps(const comm::Communicator& communicator, const topology::Topology& topology,
             double cutoff_nm, int rows)
      : communicator_(communicator),
        topology_(topology),
        cutoff_nm_(cutoff_nm),
        maps_(topology, cutoff_nm,
              analysis::rows_of_share(rows, communicator.rank(), communicator.size())) {}

  [[nodiscard]] std::string name() const override { return maps_name; }
  void add(const system::State& mine) override {
    std::array<SparseCounts, 2> found;
    std::vector<std::int64_t> of_chains(maps_.contact_columns(), 0);
    const auto slice = gather_slice(communicator_, topology_.box, mine, cutoff_nm_);
    slice.for_each_pair(topology_.box, cutoff_nm_, [&](std::size_t a, std::size_t b) {
      const auto place = maps_.find_element(slice.id[a], slice.id[b]);
      found[place.within ? 0 : 1].add(place.key());
      maps_.count_chains(slice.id[a], slice.id[b], of_chains);
    });
    for (const bool within : {true, false}) {
      maps_.add(within, setup::gather_own_rows(communicator_, maps_.residues().count(),
                                               found[within ? 0 : 1]));
    }
    communicator_.sum(std::span<std::int64_t>(of_chains));
    job::on_root(communicator_, [&] { maps_.end_frame(of_chains); });
  }
  [[nodiscard]] std::vector<std::int64_t> saved() const override {
    const auto within = communicator_.gather(maps_.counts(true).entries());
    const auto between = communicator_.gather(maps_.counts(false).entries());
    if (!communicator_.is_root()) return {};
    analysis::WordWriter words;
    maps_.save(within, between, words);
    return words.words();
  }
  [[nodiscard]] bool restore(std::span<const std::int64_t> words) override {
    return maps_.restore(words);
  }
  [[nodiscard]] std::vector<analysis::Result> results(
      std::span<const std::int64_t> words) const override {
    analysis::SparseContactMaps whole(topology_, cutoff_nm_, {0, maps_.residues().count()});
    return whole.restore(words) ? whole.results() : std::vector<analysis::Result>();
  }

 private:
  const comm::Communicator communicator_;
  const topology::Topology& topology_;
  double cutoff_nm_;
  analysis::SparseContactMaps maps_;  // this rank's rows; sums by chain on rank 0
};

}  // namespace

std::unique_ptr<SharedAccumulator> make_contact_maps(const comm::Communicator& communicator,
                                                     const topology::Topology& topology,
                                                     double cutoff_nm) {
  const int rows = analysis::DistinctResidues(topology).count();
  if (rows <= analysis::dense_map_row_limit) {
    return std::make_unique<WholeMaps>(communicator, topology, cutoff_nm);
  }
  return std::make_unique<SparseMaps>(communicator, topology, cutoff_nm, rows);
}

}  // namespace nfold::run
