// Layout of a packed TargetSize.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/packed_size.hpp"

#include <cmath>

namespace nfold::batch {
namespace {

constexpr std::size_t most_parts = 3;  // parts of the folding protocol
constexpr double nm_parts = 1e9;

enum Number : std::size_t {
  residues,
  terms,
  is_go,
  is_resident,
  is_resident_on_gpu_only,
  repulsion,  // [1e-9 nm]
  execution,
  folds,
  part_count,
  parts,  // numbers_of_part for each
  end = parts + 6 * most_parts
};
enum NumberOfPart : std::size_t {
  replicas,
  steps,
  energy_gathers,
  samples,
  temperatures,
  counts_contacts,
  numbers_of_part
};
static_assert(end == parts + numbers_of_part * most_parts && end == packed_numbers);

}  // namespace

void pack(const TargetSize& size, std::int64_t* to) {
  to[residues] = size.work.residues;
  to[terms] = size.work.terms;
  to[is_go] = size.work.is_go ? 1 : 0;
  to[is_resident] = size.work.is_resident ? 1 : 0;
  to[is_resident_on_gpu_only] = size.work.is_resident_on_gpu_only ? 1 : 0;
  to[repulsion] = std::llround(nm_parts * size.work.repulsion_nm);
  to[execution] = static_cast<std::int64_t>(size.execution);
  to[folds] = size.folds ? 1 : 0;
  to[part_count] = static_cast<std::int64_t>(size.work.parts.size());
  for (std::size_t k = 0; k < size.work.parts.size(); ++k) {
    const auto& part = size.work.parts[k];
    auto* const of_part = to + parts + numbers_of_part * k;
    of_part[replicas] = part.replicas;
    of_part[steps] = part.steps;
    of_part[energy_gathers] = part.energy_gathers;
    of_part[samples] = part.samples;
    of_part[temperatures] = part.temperatures;
    of_part[counts_contacts] = part.counts_contacts ? 1 : 0;
  }
}
TargetSize unpack(const std::int64_t* from) {
  TargetSize size;
  size.work = {from[residues],         from[terms], from[is_go] != 0,
               from[is_resident] != 0, {},          from[is_resident_on_gpu_only] != 0};
  size.work.repulsion_nm = static_cast<double>(from[repulsion]) / nm_parts;
  size.execution = static_cast<input::Execution>(from[execution]);
  size.folds = from[folds] != 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(from[part_count]); ++k) {
    const auto* const of_part = from + parts + numbers_of_part * k;
    size.work.parts.push_back({of_part[replicas], of_part[steps], of_part[energy_gathers],
                               of_part[samples], of_part[temperatures],
                               of_part[counts_contacts] != 0});
  }
  return size;
}

}  // namespace nfold::batch
