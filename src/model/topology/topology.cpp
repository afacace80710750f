// Labels of residues and the hash of a topology.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "model/structure/structure.hpp"

namespace nfold::topology {
namespace {

/// FNV-1a with 64-bit words instead of bytes; the shift lets high bits reach low ones.
class Hasher {
 public:
  void add(std::uint64_t word) {
    constexpr std::uint64_t prime = 0x100000001b3;
    hash_ = (hash_ ^ word) * prime;
    hash_ ^= hash_ >> 29;
  }
  void add(int number) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(number))); }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  void add(char letter) { add(static_cast<std::uint64_t>(static_cast<unsigned char>(letter))); }
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char letter : text) add(letter);
  }
  template <typename... Values>
  void add_all(const Values&... values) {
    (add(values), ...);
  }
  /// Adds a table, beginning with its length, so that two tables with a shifted boundary hash
  /// differently.
  template <typename Rows, typename AddRow>
  void add_table(const Rows& rows, AddRow add_row) {
    add(static_cast<std::uint64_t>(rows.size()));
    for (const auto& row : rows) add_row(row);
  }
  /// Returns the hash after SplitMix64's finaliser: every input bit reaches every output bit.
  [[nodiscard]] std::uint64_t result() const {
    std::uint64_t h = hash_;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
    h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
    return h ^ (h >> 31);
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

// The following functions decompose each struct into all its members. A new member does not compile
// until it is decided here whether it distinguishes runs.

void add_terms(Hasher& hash, const Topology& t) {
  std::size_t kinds = 0;
  BondedKinds::for_each([&](auto kind) {
    const auto& terms = terms_of(t, kind);
    // Later kinds count only if present, so that hashes of older topologies stay.
    constexpr std::size_t first_kinds = 6;
    if (++kinds > first_kinds) {
      if (terms.empty()) return;
      hash.add(std::string_view(kind.plural));
    }
    hash.add_table(terms, [&hash](const auto& term) {
      const auto [residues, numbers] = term.parts();
      for (const int id : residues) hash.add(id);
      for (const double number : numbers) hash.add(number);
    });
  });
}

void add_pair_potentials(Hasher& hash, const Topology& t) {
  // Names of types do not affect the dynamics.
  const auto& [form, epsilon, sigma_nm, cutoff_nm, cutoff_over_sigma, shifted, domains_only_repel,
               type_sigma_nm, type_lambda, pairs, type_names, tabulated, site_factors] =
      t.short_range;
  hash.add_all(static_cast<int>(form), epsilon, sigma_nm, cutoff_nm, cutoff_over_sigma,
               static_cast<int>(shifted), static_cast<int>(domains_only_repel));
  hash.add_table(type_sigma_nm, [&hash](double sigma) { hash.add(sigma); });
  hash.add_table(type_lambda, [&hash](double lambda) { hash.add(lambda); });
  pair_forms::with_form(form, [&](auto one) {
    hash.add_table(pairs, [&hash, one](const TypePair& pair) { one.add_pair(hash, pair); });
  });
  // Later members count only if present, so that hashes of older topologies stay.
  if (tabulated != nullptr) tabulated->add_to(hash);
  if (!site_factors.empty()) {
    hash.add_table(site_factors, [&hash](double factor) { hash.add(factor); });
  }
  const auto& [coulomb, kappa, range_nm, is_shifted, tabulated_charges, multiplies] =
      t.electrostatics;
  hash.add_all(coulomb, kappa, range_nm, static_cast<int>(is_shifted));
  if (tabulated_charges != nullptr) {
    hash.add(static_cast<int>(multiplies));
    tabulated_charges->add_to(hash);
  }
}

void add_residues(Hasher& hash, const Topology& t) {
  hash.add_table(t.residues, [&](const Residue& residue) {
    // Real masses and places in a structure do not affect the dynamics.
    const auto& [name, number, insertion_code, chain, segment, mass_amu, charge_e, type, domain,
                 real_mass_amu, site, at_centre_of_mass] = residue;
    hash.add_all(name.view(), number, insertion_code, chain, segment, mass_amu, charge_e, type,
                 domain);
    if (site >= 0) hash.add(site);
  });
  hash.add_table(t.chains, [&](const Chain& chain) {
    // Molecules are only counted; the rest follows from the terms.
    const auto& [name, first, count, species, molecule, is_closed, pieces] = chain;
    hash.add_all(std::string_view(name), first, count, species);
  });
}

/// Adds the biases. Adds nothing if there are none, so that hashes of older topologies stay.
void add_biases(Hasher& hash, const std::vector<bias::Bias>& biases) {
  if (biases.empty()) return;
  hash.add_table(biases, [&hash](const bias::Bias& one) {
    const auto& [variable, form, centre, k, half_width] = one;
    hash.add_all(static_cast<int>(variable.kind), static_cast<int>(form), centre, k, half_width);
    hash.add_table(variable.residues, [&hash](int id) { hash.add(id); });
  });
}

/// Adds the external fields. Adds nothing if there are none, like add_biases().
void add_fields(Hasher& hash, const std::vector<bias::ExternalField>& fields) {
  if (fields.empty()) return;
  hash.add_table(fields, [&hash](const bias::ExternalField& one) {
    const auto& [species, axes, origin, inner, centre, k, slope, until] = one;
    hash.add_all(axes[0], axes[1], axes[2], origin[0], origin[1], origin[2], inner, centre, k,
                 slope, static_cast<std::uint64_t>(until));
    hash.add_table(species, [&hash](int index) { hash.add(index); });
  });
}

}  // namespace

bool Topology::has_native_structure() const {
  if (native_nm.size() != residues.size()) return false;
  return std::none_of(native_nm.begin(), native_nm.end(),
                      [](const auto& x) { return std::isnan(x[0]); });
}

std::string describe_bonded_terms(const Topology& topology) {
  std::vector<std::string> counts;
  BondedKinds::for_each([&](auto kind) {
    const auto count = terms_of(topology, kind).size();
    if (count > 0) counts.push_back(fmt::format("{} {}", count, kind.plural));
  });
  return counts.empty() ? "no bonded terms" : fmt::format("{}", fmt::join(counts, ", "));
}

void add_bias(Topology& topology, const bias::Bias& bias) {
  const auto& residues = bias.variable.residues;
  topology.biased_variables.push_back(bias.variable);
  if (bias.variable.kind == bias::VariableKind::distance && bias.form == bias::BiasForm::harmonic) {
    topology.bias_springs.push_back({residues.at(0), residues.at(1), bias.centre, bias.k});
  } else {
    topology.biases.push_back(bias);
  }
}

void sort_exclusions(Topology& topology) {
  for (auto* const exclusions : {&topology.exclusions, &topology.charged_exclusions}) {
    auto& pairs = exclusions->items();
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  }
}

int next_residue(const Topology& topology, int i) {
  const Residue here = topology.residues[static_cast<std::size_t>(i)];
  const Chain& chain = topology.chains[static_cast<std::size_t>(here.chain)];
  if (i == chain.first + chain.count - 1) return chain.is_closed ? chain.first : -1;
  const Residue next = topology.residues[static_cast<std::size_t>(i) + 1];
  return next.segment == here.segment ? i + 1 : -1;
}

std::string residue_label(const Topology& topology, int id) {
  const Residue residue = topology.residues.at(static_cast<std::size_t>(id));
  const std::string& chain = topology.chains.at(static_cast<std::size_t>(residue.chain)).name;
  return fmt::format("{} {}{} (chain {})", residue.name.view(), residue.number,
                     residue.insertion_code == ' ' ? "" : std::string(1, residue.insertion_code),
                     chain);
}

void require_distinct_positions(const Topology& topology, int i, int j, double distance_nm) {
  constexpr double coincident_nm = 1e-4;
  if (!(distance_nm < coincident_nm)) return;
  throw structure::StructureError(fmt::format(
      "{}: {} and {} stand in the same place ({:.6f} nm apart); correct the coordinates",
      topology.species.at(0).name, residue_label(topology, i), residue_label(topology, j),
      distance_nm));
}

std::uint64_t hash_topology(const Topology& topology) {
  // Names of species, biased variables (each bias holds its own) and notes do not affect the
  // dynamics.
  const auto& [residues, chains, species, box, short_range, electrostatics, biases,
               biased_variables, fields, exclusions, charged_exclusions, native_nm, notes] =
      static_cast<const TopologyParts&>(topology);
  Hasher hash;
  add_residues(hash, topology);
  add_terms(hash, topology);
  add_pair_potentials(hash, topology);
  for (const double length : box.length_nm) hash.add(length);
  const auto add_pair = [&hash](const std::pair<int, int>& pair) {
    hash.add_all(pair.first, pair.second);
  };
  hash.add_table(exclusions, add_pair);
  if (!charged_exclusions.empty()) hash.add_table(charged_exclusions, add_pair);
  add_biases(hash, biases);
  add_fields(hash, fields);
  hash.add_table(native_nm,
                 [&hash](const std::array<double, 3>& x) { hash.add_all(x[0], x[1], x[2]); });
  return hash.result();
}

}  // namespace nfold::topology
