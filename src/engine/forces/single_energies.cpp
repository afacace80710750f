// Kernel energies of single terms and pairs.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/forces/single_energies.hpp"

#include <type_traits>
#include <utility>
#include <vector>

#include "engine/forces/pair_potentials.hpp"
#include "engine/forces/term_parameters.hpp"

namespace nfold::forces {

class SingleEnergies::PairEnergy {
 public:
  virtual ~PairEnergy() = default;
  [[nodiscard]] virtual double of(const topology::Residue& a, const topology::Residue& b,
                                  double distance_squared) const = 0;
};

template <class Kernel>
class SingleEnergies::EnergyOf final : public PairEnergy {
 public:
  using Partners = kernels::Partners<kernels::Full>;

  EnergyOf(const Kernel& kernel, const topology::ShortRange& table,
           std::vector<pair_forms::TypeColumns> type_columns)
      : kernel_(kernel), table_(&table), type_columns_(std::move(type_columns)) {}
  [[nodiscard]] double of(const topology::Residue& a, const topology::Residue& b,
                          double distance_squared) const override {
    Partners row;
    put(a, row);
    const auto own = kernel_.own(row);
    put(b, row);
    return kernel_.in_range(distance_squared, own, row, 0)
               ? kernel_.energy(distance_squared, own, row, 0)
               : 0;
  }

 private:
  void put(const topology::Residue& residue, Partners& to) const {
    to.charge[0] = residue.charge_e;
    to.kind[0] = pair_kind(*table_, residue);
    pair_forms::TypeColumns columns;
    if (!type_columns_.empty()) columns = type_columns_[static_cast<std::size_t>(residue.type)];
    to.half_sigma[0] = columns.half_sigma_nm;
    to.half_lambda[0] = columns.half_lambda;
  }

  Kernel kernel_;
  const topology::ShortRange* table_;
  std::vector<pair_forms::TypeColumns> type_columns_;
};

SingleEnergies::SingleEnergies(const topology::Topology& topology) : topology_(&topology) {
  const auto& numbers = topology.short_range;
  pair_forms::with_form(numbers.form, [&](auto form) {
    pair_table_ = form.template table<double>(numbers, 1);
    const auto kernel = form.template kernel<double>(
        pair_forms::KernelSource<double>{numbers, pair_table_.data(), 1});
    std::vector<pair_forms::TypeColumns> columns;
    if constexpr (decltype(form)::has_type_columns) {
      for (std::size_t type = 0; type < numbers.type_sigma_nm.size(); ++type) {
        columns.push_back(form.type_columns(numbers, type));
      }
    }
    short_range_ = std::make_unique<EnergyOf<std::remove_const_t<decltype(kernel)>>>(
        kernel, numbers, std::move(columns));
  });
  const auto set_charges = [&](const auto& kernel) {
    using Kernel = std::remove_cvref_t<decltype(kernel)>;
    electrostatic_ =
        std::make_unique<EnergyOf<Kernel>>(kernel, numbers, std::vector<pair_forms::TypeColumns>());
  };
  const auto& charges = topology.electrostatics;
  if (charges.tabulated == nullptr) {
    set_charges(PairPotentials::debye_hueckel<double>(charges, 1));
    return;
  }
  const pair_forms::TabulatedArray<double> array(charges.tabulated->curves, 0);
  charge_table_ = array.values({}, 1);
  const int types = charges.tabulated->types();
  if (charges.multiplies_charges) {
    set_charges(array.kernel<kernels::ChargeProducts>(charge_table_.data(), types, 1));
  } else {
    set_charges(array.kernel<kernels::TypePairs>(charge_table_.data(), types, 1));
  }
}
SingleEnergies::~SingleEnergies() = default;
SingleEnergies::SingleEnergies(SingleEnergies&&) noexcept = default;
SingleEnergies& SingleEnergies::operator=(SingleEnergies&&) noexcept = default;

double SingleEnergies::of_term(std::size_t kind, std::size_t term,
                               const double* difference_nm) const {
  double energy = 0;
  topology::BondedKinds::at(kind, [&](auto one) {
    const auto numbers = term_parameters(topology::terms_of(*topology_, one)[term]);
    energy = KernelTerm<decltype(one)>::energy(difference_nm, numbers.data());
  });
  return energy;
}

double SingleEnergies::short_range(int i, int j, double distance_squared) const {
  return short_range_->of(topology_->residues[static_cast<std::size_t>(i)],
                          topology_->residues[static_cast<std::size_t>(j)], distance_squared);
}

double SingleEnergies::electrostatic(int i, int j, double distance_squared) const {
  return electrostatic_->of(topology_->residues[static_cast<std::size_t>(i)],
                            topology_->residues[static_cast<std::size_t>(j)], distance_squared);
}

}  // namespace nfold::forces
