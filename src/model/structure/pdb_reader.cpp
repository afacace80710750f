// Reader of PDB files, based on gemmi.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <gemmi/pdb.hpp>
#include <utility>

#include "model/structure/pdb_lines.hpp"
#include "model/structure/raw_residue.hpp"
#include "model/structure/residue_kind.hpp"

namespace nfold::structure {
namespace {

/// Returns the number of a file's column from gemmi's single precision.
double to_decimal(float b) {
  constexpr double decimals = 1e4;
  return std::round(static_cast<double>(b) * decimals) / decimals;
}

RawResidue convert(const gemmi::Residue& from, const std::string& chain, int part) {
  RawResidue residue;
  residue.chain = chain;
  residue.name = from.name;
  residue.number = *from.seqid.num;
  residue.insertion_code = from.seqid.icode;
  residue.hetero = from.het_flag == 'H';
  residue.part = part;
  residue.atoms.reserve(from.atoms.size());
  const bool is_amino_acid = !residue_kind(residue.name).parent.empty();
  for (const gemmi::Atom& atom : from.atoms) {
    residue.b_factors.add(to_decimal(atom.b_iso));
    std::string name = heavy_atom_name(is_amino_acid, atom.name, atom.element.name());
    if (name.empty()) continue;
    residue.atoms.push_back(
        {std::move(name),
         {atom.pos.x * angstrom_nm, atom.pos.y * angstrom_nm, atom.pos.z * angstrom_nm},
         atom.occ,
         atom.altloc == '\0' ? ' ' : atom.altloc});
  }
  return residue;
}

}  // namespace

RawStructure read_pdb(std::string_view text, const std::string& name, int model) {
  PdbLines lines(text, name, model);
  gemmi::PdbReadOptions options;
  options.split_chain_on_ter = true;
  gemmi::Structure read;
  try {
    read = gemmi::pdb_impl::read_pdb_from_stream(lines, name, options);
  } catch (const StructureError&) {
    throw;
  } catch (const std::exception& error) {
    throw StructureError(fmt::format("{}: {}; repair the file", name, error.what()));
  }
  RawStructure raw;
  raw.model_count = lines.model_count();
  raw.sequences = lines.take_sequences();
  raw.notes = lines.notes();
  raw.prediction = lines.prediction();
  if (read.models.empty()) return raw;
  int part = 0;
  for (gemmi::Chain& chain : read.models[0].chains) {
    for (gemmi::Residue& residue : chain.residues) {
      raw.residues.push_back(convert(residue, chain.name, part));
      residue = {};
    }
    ++part;
  }
  return raw;
}

}  // namespace nfold::structure
