// Keys of `ensemble`.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/key_makers.hpp"

namespace nfold::input {

using namespace makers;

namespace {

constexpr auto ensemble_at = &Settings::ensemble;
using Ensemble = EnsembleSettings;

constexpr std::uint64_t most_temperatures = 10'000, most_ladders = 1'000'000;
constexpr std::uint64_t most_replicas = most_temperatures * most_ladders;

constexpr std::array<Name, 2> ensemble_start_names{"same", "both-ends"};

}  // namespace

std::vector<Key> makers::ensemble_keys() {
  return {
      Key{"ensemble.temperatures",
          integer<ensemble_at, &Ensemble::temperatures>(0, most_temperatures), "", refuse,
          "Number of temperatures; 0: no ensemble, but one simulation at "
          "dynamics.temperature_kelvin."},
      Key{"ensemble.lowest_kelvin", real<ensemble_at, &Ensemble::lowest_kelvin>(0, 1e5), "K",
          refuse,
          "The lowest temperature. Default with one temperature: dynamics.temperature_kelvin."},
      Key{"ensemble.highest_kelvin", real<ensemble_at, &Ensemble::highest_kelvin>(0, 1e5), "K",
          refuse, "The highest temperature; those between have equal ratios."},
      Key{"ensemble.temperatures_kelvin",
          real_list<ensemble_at, &Ensemble::temperatures_kelvin>(0, 1e5, {}), "K", refuse,
          "All temperatures, ascending, in place of temperatures, lowest_kelvin and "
          "highest_kelvin, which follow from them."},
      Key{"ensemble.contact_strengths",
          real_list<ensemble_at, &Ensemble::contact_strengths>(0, 100, {}), "", refuse,
          "Factors of the native contacts' energies and forces: one for each temperature, or, with "
          "one temperature, those of a ladder in their place (Hamiltonian exchange: Fukunishi, "
          "Watanabe and Takada, J. Chem. Phys. 116, 9058 (2002)), which rise or fall throughout. "
          "Empty: 1 at all temperatures."},
      Key{"ensemble.ionic_strengths_molar",
          real_list<ensemble_at, &Ensemble::ionic_strengths_molar>(0, 10, {}), "mol/l", refuse,
          "Ionic strengths in place of force_field.ionic_strength_molar: one for each temperature, "
          "or, with one temperature, those of a ladder in their place, which rise or fall "
          "throughout; for models whose Debye length comes from the salt. NAME.ensemble.h5 has the "
          "chains' size along the ladder, by MBAR. Empty: the force field's at all temperatures."},
      Key{"ensemble.umbrella_centres_nm",
          real_list<ensemble_at, &Ensemble::umbrella_centres_nm>(0, 1000, {}), "nm", refuse,
          "Umbrella windows at one temperature: umbrella_variable s is held by (k/2)(s - "
          "centre)^2, a centre for each state, rising or falling throughout (Torrie and Valleau, "
          "J. Comput. Phys. 23, 187 (1977)); neighbours trade them. NAME.ensemble.h5 has the free "
          "energy of s without umbrellas, by MBAR. Empty: none."},
      Key{"ensemble.umbrella_variable",
          choice<ensemble_at, &Ensemble::umbrella_variable>(bias::variable_names), "", refuse,
          "What umbrellas hold, as in bias.variable."},
      Key{"ensemble.umbrella_k_kj_mol_nm2",
          real_above<ensemble_at, &Ensemble::umbrella_k_kj_mol_nm2>(0, 1e6), "kJ/mol/nm^2", refuse,
          "k of all umbrellas. A window is sqrt(kT/k) wide; neighbours' should overlap."},
      Key{"ensemble.umbrella_residues", text_list<ensemble_at, &Ensemble::umbrella_residues>(), "",
          refuse, "The residues of that variable, as in bias.residues: [\"A:1\", \"A:76\"]."},
      Key{"ensemble.tuning_steps", integer<ensemble_at, &Ensemble::tuning_steps>(0, most_steps),
          "steps", refuse,
          "Steps at the beginning in which the states between the ends are moved for equal "
          "acceptance, at the exchange before a quarter, a half and all of them, by what was "
          "accepted since the last change (Rathore, Chopra and de Pablo, J. Chem. Phys. 122, "
          "024111 (2005)); they belong to the equilibration. 0: never."},
      Key{"ensemble.ladders", integer<ensemble_at, &Ensemble::ladders>(1, most_ladders), "", refuse,
          "How often there are all these states, side by side and independent of each other. "
          "Replica r is of ladder r / states; its noise is that of dynamics.replica + r."},
      Key{"ensemble.exchange_every_steps",
          integer<ensemble_at, &Ensemble::exchange_every_steps>(0, most_steps), "steps", refuse,
          "How often neighbours may trade states (Sugita and Okamoto, Chem. Phys. Lett. 314, 141 "
          "(1999)), even and odd pairs in turn; 0: never, replicas are independent."},
      Key{"ensemble.sample_every_steps",
          integer<ensemble_at, &Ensemble::sample_every_steps>(1, most_steps), "steps", refuse,
          "How often energy, native contacts and state of each replica are kept, for "
          "NAME.ensemble.h5."},
      Key{"ensemble.equilibration_steps",
          integer<ensemble_at, &Ensemble::equilibration_steps>(0, most_steps), "steps", allow,
          "Steps at the beginning that no average counts; samples are kept all the same.", false,
          "ensemble.tuning_steps"},
      Key{"ensemble.rg_error", real<ensemble_at, &Ensemble::rg_error>(0, 1), "", allow,
          "With ensemble.analysis.chain: the run ends, before dynamics.steps, as soon as the "
          "standard error of the mean radius of gyration is at most this share of it; 0: it makes "
          "all steps."},
      Key{"ensemble.trajectory_replicas",
          integer_list<ensemble_at, &Ensemble::trajectory_replicas>(0, most_replicas - 1), "",
          allow,
          "Replicas, numbered from 0, ascending, of which NAME.replica-R.h5md keeps the positions "
          "every output.trajectory_every_steps, and NAME.replica-R.csv energy, native contacts, "
          "temperature and contact strength; each file follows its replica through time, whatever "
          "state it has. Added on a resume, a replica's files begin there."},
      Key{"ensemble.starts", choice<ensemble_at, &Ensemble::starts>(ensemble_start_names), "",
          refuse,
          "same: all replicas begin as start.from says; both-ends: ladders in turn native and "
          "unfolded, each unfolded replica a coil of its own, so that what both sides agree on has "
          "converged."},
      Key{"ensemble.folded_native_fraction",
          real<ensemble_at, &Ensemble::folded_native_fraction>(0, 1), "", allow,
          "Without exchange: a replica that began unfolded has folded at the first sample with at "
          "least this share of native contacts, for the first-passage times in NAME.ensemble.h5."},
      Key{"ensemble.unfolded_native_fraction",
          real<ensemble_at, &Ensemble::unfolded_native_fraction>(0, 1), "", allow,
          "The same for a replica that began native: unfolded at the first sample with at most "
          "this share."},
  };
}

}  // namespace nfold::input
