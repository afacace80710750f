// Confidence of a predicted structure: pLDDT of residues and PAE of pairs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::structure {

struct Structure;

/// pLDDT from which a residue is confident (Tunyasuvunakool et al., Nature 596, 590 (2021)).
inline constexpr double confident_plddt = 70;

/// Confidence of a predicted structure, by consecutive residue index over all chains.
struct Confidence {
  /// (residues) 0 to 100 (Jumper et al., Nature 596, 583 (2021)); empty if unknown
  std::vector<double> plddt;
  /// (residues, residues) predicted aligned error [angstrom]: row i, column j is the error of
  /// residue j when the prediction is aligned on residue i. Not symmetric. Empty if unknown.
  std::vector<double> pae_angstrom;

  [[nodiscard]] bool has_plddt() const { return !plddt.empty(); }
  [[nodiscard]] bool has_pae() const { return !pae_angstrom.empty(); }
  /// Returns the mean of both directions [angstrom].
  [[nodiscard]] double symmetric_pae(std::size_t i, std::size_t j) const {
    const std::size_t count = plddt.size();
    return (pae_angstrom[i * count + j] + pae_angstrom[j * count + i]) / 2;
  }
};

/// Values of a confidence file, not yet assigned to residues. A token is a residue, or an atom of a
/// ligand or modified residue.
struct ConfidenceTable {
  struct Token {
    std::string chain;
    int number = 0;
    [[nodiscard]] bool operator==(const Token& other) const {
      return number == other.number && chain == other.chain;
    }
  };
  std::string format;         ///< "AlphaFold 3"
  std::vector<double> plddt;  ///< (tokens), or (atoms) if is_plddt_by_atom
  bool is_plddt_by_atom = false;
  std::vector<double> pae_angstrom;  ///< (side, side)
  std::size_t side = 0;
  std::vector<Token> tokens;  ///< chain and number of each token; empty: not stated

  [[nodiscard]] bool is_empty() const { return plddt.empty() && pae_angstrom.empty(); }
};

/// Statements of a structure file on how the structure was obtained.
struct PredictionRecord {
  bool is_experimental = false;  ///< a method of experiment is named
  std::string predictor;         ///< evidence of a predicted model: "title with ALPHAFOLD"
  ConfidenceTable metrics;       ///< ModelCIF's own pLDDT and PAE
};

/// Residues of a structure file's model in its order, ligands and ions included, water excluded.
struct FileContents {
  struct Residue {
    int chain = 0, number = 0;              ///< index into chain_names, author's number
    int label_chain = 0, label_number = 0;  ///< mmCIF: label_asym_id and label_seq_id
    int atoms = 0;                          ///< heavy atoms
    bool is_standard = false;               ///< one of the 20 amino acids or 8 nucleotides
  };
  std::vector<std::string> chain_names;
  std::vector<Residue> residues;
  PredictionRecord prediction;

  /// True if the file is recognised as a predicted model with pLDDT.
  [[nodiscard]] bool is_predicted() const { return !prediction.predictor.empty(); }
};

/// A file in memory.
struct NamedBytes {
  std::string name;  ///< names the file in errors
  std::string bytes;
};

/// Sources of set_confidence().
struct ConfidenceSources {
  bool has_b_factors = false;     ///< B-factors are pLDDT, even if the file is not recognised
  std::vector<NamedBytes> files;  ///< files with PAE, pLDDT or both
};

/// Parses a confidence file of AlphaFold 2 and 3, AlphaFold DB, ColabFold or Boltz: JSON, NPZ, NPY
/// or ModelCIF, each plain or gzipped, recognised by content. Throws StructureError.
[[nodiscard]] ConfidenceTable parse_confidence(std::string_view bytes, const std::string& name,
                                               int model = 1);

/// Sets `structure.confidence` for the residues that the structure has, with notes. pLDDT is taken
/// from the files, else from ModelCIF's metrics, else from the B-factors of a predicted model. Does
/// nothing if there is none. Throws StructureError if the files do not fit the structure's file.
void set_confidence(Structure& structure, const ConfidenceSources& sources);

}  // namespace nfold::structure
