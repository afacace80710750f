// The list of sampled quantities, and their computation.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/sampled_quantities.hpp"

#include <algorithm>
#include <tuple>

#include "device/launch.hpp"
#include "kernels/resident/replica_quantities.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::replicas {
namespace {

enum class Columns { one, one_per_species };

/// Quantity that Kernel computes; see kernels/resident/replica_quantities.hpp.
template <class Kernel>
struct Quantity {
  const char *name, *unit, *help;
  Columns columns;

  [[nodiscard]] int column_count(std::size_t species) const {
    return columns == Columns::one ? 1 : static_cast<int>(species);
  }
};

/// All sampled quantities. NAME.samples, the groups samples, scan and thermodynamics of
/// NAME.ensemble.h5, the log and the report follow from this list. The history records the mean of
/// the first.
constexpr std::tuple quantities{Quantity<kernels::MeanRadiusOfGyration>{
    "radius_of_gyration", "nm", "mean over a species' chains of each one's own, weighed by mass",
    Columns::one_per_species}};

template <class Visit>
void for_each_quantity(const Visit& visit) {
  std::apply([&](const auto&... quantity) { (visit(quantity), ...); }, quantities);
}

}  // namespace

std::vector<SampledColumn> sampled_columns(const topology::Topology& topology) {
  std::vector<SampledColumn> all;
  for_each_quantity([&](const auto& one) {
    std::string text(one.name);
    std::replace(text.begin(), text.end(), '_', ' ');
    const int columns = one.column_count(topology.species_count());
    for (int k = 0; k < columns; ++k) {
      const auto species = columns == 1 ? "" : topology.species[static_cast<std::size_t>(k)].name;
      all.push_back({one.name + (species.empty() ? "" : "_" + species), one.unit, text,
                     species.empty() ? "" : " of " + species, one.help});
    }
  });
  return all;
}

SampledQuantities::SampledQuantities(const topology::Topology& topology)
    : chains_(static_cast<int>(topology.chains.size())),
      columns_(static_cast<int>(sampled_columns(topology).size())),
      species_(topology.species_count()) {
  std::vector<double> mass;
  mass.reserve(topology.residues.size());
  for (const auto& residue : topology.residues) mass.push_back(residue.mass_amu);
  std::vector<std::int32_t> first, species;
  first.reserve(topology.chains.size() + 1);
  species.reserve(topology.chains.size());
  for (const auto& chain : topology.chains) {
    first.push_back(chain.first);
    species.push_back(chain.species);
  }
  first.push_back(topology.residue_count());
  mass_.upload(mass);
  chain_first_.upload(first);
  species_of_chain_.upload(species);
}

void SampledQuantities::begin(const kernels::ReplicaPositions& replicas) {
  reserve(replicas.replicas);
  const kernels::ReplicaChains chains{mass_.data(), chain_first_.data(), species_of_chain_.data(),
                                      chains_};
  int first = 0;
  for_each_quantity([&]<class Kernel>(const Quantity<Kernel>& one) {
    const int own = one.column_count(species_);
    device::launch(
        one.name, replicas.replicas * own,
        kernels::ComputeQuantity<Kernel>{replicas, chains, own, first, columns_, value_.data()});
    first += own;
  });
}

std::vector<std::vector<double>> SampledQuantities::values(int replicas) const {
  device::fence();
  const auto all = value_.download(std::int64_t{replicas} * columns_);
  std::vector<std::vector<double>> of_each;
  for (auto at = all.begin(); at != all.end(); at += columns_) {
    of_each.emplace_back(at, at + columns_);
  }
  return of_each;
}

}  // namespace nfold::replicas
