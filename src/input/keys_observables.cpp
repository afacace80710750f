// Keys of `observables`.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/key_makers.hpp"

namespace nfold::input {

using namespace makers;

namespace {

constexpr auto observables_at = &Settings::observables;
using Observables = ObservableSettings;

}  // namespace

std::vector<Key> makers::observable_keys() {
  return {
      Key{"observables.every_steps",
          integer<observables_at, &Observables::every_steps>(0, most_steps), "steps", refuse,
          "Interval of the samples; 0 switches all observables off."},
      Key{"observables.equilibration_steps",
          integer<observables_at, &Observables::equilibration_steps>(0, most_steps), "steps",
          refuse, "Steps at the beginning that are left out of averages and distributions."},
      Key{"observables.density_profile", flag<observables_at, &Observables::density_profile>(), "",
          refuse, "Mass density along an axis, centred on the dense phase, for each species."},
      Key{"observables.profile_axis",
          choice<observables_at, &Observables::profile_axis>(axis_names), "", refuse,
          "Axis of the density profile."},
      Key{"observables.profile_bins",
          integer<observables_at, &Observables::profile_bins>(1, 100'000), "", refuse,
          "Bins of the density profile."},
      Key{"observables.clusters", flag<observables_at, &Observables::clusters>(), "", refuse,
          "How many chains hang together, and how many such clusters there are."},
      Key{"observables.cluster_cutoff_nm",
          real_above<observables_at, &Observables::cluster_cutoff_nm>(0, 20), "nm", refuse,
          "Two chains hang together if a residue of each is nearer than this."},
      Key{"observables.contact_maps", flag<observables_at, &Observables::contact_maps>(), "",
          refuse,
          "How often each pair of residues is in contact, within a chain and between chains, for "
          "each pair of species. Maps of more than 1,000 residues of the species together are "
          "sparse: only pairs that ever touched."},
      Key{"observables.contact_cutoff_nm",
          real_above<observables_at, &Observables::contact_cutoff_nm>(0, 20), "nm", refuse,
          "Two residues are in contact if they are nearer than this."},
      Key{"observables.residue_energies", flag<observables_at, &Observables::residue_energies>(),
          "", refuse,
          "A histogram of the potential energy of each residue, by species and place in the chain. "
          "The energy of a term or a pair is shared equally by its residues. Takes 8,000 bytes a "
          "residue of each species in the file."},
      Key{"observables.phase_locking", flag<observables_at, &Observables::phase_locking>(), "",
          refuse,
          "How the pseudo-dihedrals of all pairs of residues go together, as in "
          "ensemble.analysis.phase_locking. Takes 16 N^2 bytes in all, of which each rank has a "
          "share, and 4 N^2 operations a sample."},
      Key{"observables.chain_sizes", flag<observables_at, &Observables::chain_sizes>(), "", refuse,
          "Distributions of radius of gyration and end-to-end distance, for each species."},
      Key{"observables.size_bins", integer<observables_at, &Observables::size_bins>(1, 100'000), "",
          refuse, "Bins of these distributions."},
      Key{"observables.largest_size_nm",
          real<observables_at, &Observables::largest_size_nm>(0, 1e5), "nm", refuse,
          "Upper end of both distributions. 0: four times a random coil's end-to-end distance, at "
          "most the longest chain's length, and half of that for the radius of gyration."},
      Key{"observables.mean_square_displacement",
          flag<observables_at, &Observables::mean_square_displacement>(), "", refuse,
          "Mean square displacement of the chains' centres of mass against time, for each "
          "species."},
      Key{"observables.pressure", flag<observables_at, &Observables::pressure>(), "", refuse,
          "Pressure tensor, and in a slab the surface tension; needs a box with three edges."},
      Key{"observables.coexistence", flag<observables_at, &Observables::coexistence>(), "", refuse,
          "Two phases of a slab across profile_axis: concentrations of both, interface and surface "
          "tension, with errors by autocorrelation and an equilibration that is found."},
      Key{"observables.dilute_error", real<observables_at, &Observables::dilute_error>(0, 1), "",
          allow,
          "The run ends when the standard error of the dilute phase's concentration, of the first "
          "species, is this fraction of it; dynamics.steps is then the most that it takes. 0: it "
          "takes all."},
  };
}

}  // namespace nfold::input
