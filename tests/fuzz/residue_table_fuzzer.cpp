// Any bytes as a table of parameters: a usable table, or an InputError.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/input_error.hpp"
#include "input/residue_table.hpp"

namespace {

using namespace nfold::input;

void expect(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "a table was accepted, but %s\n", what);
    std::abort();
  }
}

// Checks the properties that builders rely on.
void expect_usable(const ResidueTable& table) {
  expect(!table.residues.empty(), "it has no residue");
  for (const auto& residue : table.residues) {
    expect(residue.mass_amu > 0 && std::isfinite(residue.mass_amu), "a mass is not positive");
  }
  const std::size_t n = table.residues.size();
  nfold::pair_forms::with_form(table.form, [&](auto form) {
    for (const auto& residue : table.residues) {
      expect(!form.needs.type_sigma || residue.sigma_nm > 0, "a residue has no size");
      expect(residue.form_numbers.size() == form.residue_numbers.size(), "numbers are missing");
    }
    expect(form.pair_row.numbers == 0 || table.pairs.size() == n * (n + 1) / 2,
           "pairs are missing");
    for (const auto& pair : table.pairs) expect(form.accepts_pair(pair.numbers), "a pair is odd");
    expect(table.form_constants.size() == form.constants.size(), "constants are missing");
  });
  const CondensateSettings settings = with_table_values({}, table);
  expect(settings.bond_k_kj_mol_nm2 > 0, "bonds have no strength");
  (void)dielectric_constant(settings, table, 300);
  (void)inverse_debye_length_per_nm(settings, table, 300);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    expect_usable(parse_residue_table(text, "fuzz.yaml"));
  } catch (const nfold::core::InputError&) {
    return 0;
  }
  return 0;
}
