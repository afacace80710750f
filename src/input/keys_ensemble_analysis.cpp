// Keys of `ensemble.analysis`.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/key_makers.hpp"

namespace nfold::input {

using namespace makers;

namespace {

constexpr auto analysis_at = &Settings::ensemble;
constexpr auto ensemble_of_analysis = &EnsembleSettings::analysis;
using Analysis = EnsembleAnalysisSettings;

}  // namespace

std::vector<Key> makers::ensemble_analysis_keys() {
  return {
      Key{"ensemble.analysis.contacts",
          flag<analysis_at, ensemble_of_analysis, &Analysis::contacts>(), "", refuse,
          "Which native contacts are formed, by temperature and Q: contact probabilities, and the "
          "order in which residues fold (phi values)."},
      Key{"ensemble.analysis.radius_of_gyration",
          flag<analysis_at, ensemble_of_analysis, &Analysis::radius_of_gyration>(), "", refuse,
          "Radius of gyration, by temperature and Q: free energy over both."},
      Key{"ensemble.analysis.phase_locking",
          flag<analysis_at, ensemble_of_analysis, &Analysis::phase_locking>(), "", refuse,
          "How the pseudo-dihedrals of all pairs of residues go together: means of exp(i (theta_i "
          "- theta_j)) and exp(i (theta_i + theta_j)). Takes 16 N^2 bytes a temperature."},
      Key{"ensemble.analysis.residue_energies",
          flag<analysis_at, ensemble_of_analysis, &Analysis::residue_energies>(), "", refuse,
          "A histogram of each residue's potential energy, the energy of a term being shared "
          "equally by its residues, native contacts at strength 1. Takes 8,000 N bytes a state."},
      Key{"ensemble.analysis.contact_maps",
          flag<analysis_at, ensemble_of_analysis, &Analysis::contact_maps>(), "", refuse,
          "How often each pair of residues is in contact, native or not, by temperature. Up to "
          "1,000 residues counted in tables of 4 N^2 bytes a state; beyond, only pairs that ever "
          "touched are kept, and each rank has a share of the rows."},
      Key{"ensemble.analysis.chain", flag<analysis_at, ensemble_of_analysis, &Analysis::chain>(),
          "", refuse,
          "Size and shape of the system's only chain, with errors: end-to-end distance, "
          "hydrodynamic radius, asphericity, distances by separation along the chain and the "
          "exponent nu of their growth. The equilibration beyond ensemble.equilibration_steps is "
          "found by the radius of gyration."},
      Key{"ensemble.analysis.contact_cutoff_nm",
          real_above<analysis_at, ensemble_of_analysis, &Analysis::contact_cutoff_nm>(0, 20), "nm",
          refuse, "For contact_maps: two residues are in contact if they are nearer than this."},
      Key{"ensemble.analysis.at_kelvin",
          real<analysis_at, ensemble_of_analysis, &Analysis::at_kelvin>(0, 1e5), "K", refuse,
          "phase_locking, residue_energies and contact_maps of the temperature of the ladder "
          "nearest to this one only; 0: of each."},
  };
}

}  // namespace nfold::input
