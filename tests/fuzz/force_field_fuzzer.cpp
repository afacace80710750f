// Any bytes as a force field: one that topologies can be built from, or an InputError.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/input_error.hpp"
#include "input/force_field.hpp"

namespace {

using namespace nfold::input;

void expect(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "a force field was accepted, but %s\n", what);
    std::abort();
  }
}

void expect_usable(const PairTerm& term, std::size_t types) {
  expect(term.functions.size() == types * types, "a term lacks pairs");
  for (std::size_t a = 0; a < types; ++a) {
    for (std::size_t b = 0; b < types; ++b) {
      const auto& one = term.functions[a * types + b];
      const auto& back = term.functions[b * types + a];
      expect(one.has_value() == back.has_value(), "a term acts one way");
      if (!one) continue;
      expect(one->cutoff_nm > 0 && std::isfinite(one->cutoff_nm), "a cutoff is not positive");
      expect(one->factor > 0, "a factor is not positive");
      const auto value = one->at(0.5 * one->cutoff_nm);
      expect(!std::isnan(value.energy), "an energy is no number");
    }
  }
}

// Checks the properties that builders rely on.
void expect_usable(const ForceField& field) {
  const std::size_t types = field.beads.size();
  expect(types > 0 && types <= 256, "the number of its types is wrong");
  for (const auto& bead : field.beads) {
    expect(bead.mass_amu > 0 && std::isfinite(bead.mass_amu), "a mass is not positive");
    expect(std::isfinite(bead.charge_e), "a charge is not finite");
    expect(field.find_bead(bead.name) >= 0, "a bead is not found");
  }
  for (const auto& term : field.pair_terms) {
    expect_usable(term, types);
    expect(!term.means || term.means->sigma_nm.size() == types, "means are missing");
  }
  expect(!field.chains.empty(), "it has no chain kind");
  for (const auto& kind : field.chains) {
    expect(!kind.roles.empty() && !kind.bonds.empty(), "a chain kind is empty");
    for (const auto& bond : kind.bonds) {
      expect(bond.k > 0 && bond.beads.size() == 2 && bond.monomers.size() == 2, "a bond is odd");
    }
    for (const auto& monomer : kind.monomers) {
      expect(monomer.types.size() == kind.roles.size(), "a monomer lacks beads");
      for (const int type : monomer.types) {
        expect(type >= 0 && static_cast<std::size_t>(type) < types, "a monomer has an odd type");
      }
    }
    for (const auto& local : kind.local_pairs) {
      expect(static_cast<std::size_t>(local.term) < field.pair_terms.size(), "a term is missing");
    }
  }
  if (field.site_factor) (void)field.site_factor(0, 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ReadFile read = [](const std::string& path) {
    return path.ends_with(".csv") ? std::string("0.2 9\n0.5 1\n3 0\n") : std::string();
  };
  try {
    const auto file = read_force_field(text, "fuzz.yaml", read);
    const auto field = evaluate(*file, {});
    expect_usable(field);
    const auto again = evaluate(*file, {}, field.options);
    expect(again.beads.size() == field.beads.size(), "its own options change it");
  } catch (const nfold::core::InputError&) {
    return 0;
  }
  return 0;
}
