// Topics of nfold help.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/help_topics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "input/keys.hpp"
#include "input/reference.hpp"

namespace nfold::cli {
namespace {

constexpr std::array topics{
    HelpTopic{"rg, radius of gyration, gyration, end to end distance, size",
              "Radii of gyration stand in NAME.energies.csv of a single run, with errors for each "
              "species in NAME.observables.h5, and over replicas in NAME.ensemble.h5.",
              "observables.chain_sizes ensemble.analysis.radius_of_gyration bias.variable", "",
              "CONDENSATES"},
    HelpTopic{"alphafold, colabfold, boltz, plddt, pae, predicted aligned error, predicted "
              "structure, confidence",
              "pLDDT and PAE of a predicted structure decide which residues are folded; "
              "nfold prepare finds the file beside the structure.",
              "system.confidence system.species force_field.confidence.least_plddt "
              "force_field.domains",
              "prepare", "ALPHAFOLD"},
    HelpTopic{"pbc, periodic, periodic boundary, periodic boundaries, box, unit cell, volume",
              "A box makes its axes periodic; without one the system stands in open space. "
              "Trajectories are written unwrapped where there is no box.",
              "system.box_nm system.concentration_mg_per_ml start.from", "prepare", "CONDENSATES"},
    HelpTopic{"dt, timestep, time step, integration step",
              "The time step is given in ps; heavier beads allow a longer one.",
              "dynamics.time_step_ps dynamics.integrator force_field.mass_amu", "", "UNITS"},
    HelpTopic{"slurm, sbatch, srun, pbs, lsf, scheduler, queue, job script, cluster, hpc",
              "nfold plan chooses the resources and writes the job script; nfold launch starts the "
              "ranks in the job and goes on when one fails.",
              "", "plan launch", "CLUSTER"},
    HelpTopic{
        "xtc, trr, dcd, psf, vmd, mdanalysis, mdtraj, trajectory, trajectories, frames",
        "The trajectory is NAME.h5md, which MDAnalysis reads. For other programs nfold "
        "export writes XTC or DCD with PSF, PDB and mmCIF, chains placed in the box by --centre "
        "or --wrap; there is no TRR, which MDAnalysis makes of either.",
        "output.trajectory_every_steps output.dcd", "export", "FILES"},
    HelpTopic{"replica exchange, remd, parallel tempering, exchange, tempering, replicas, ladder",
              "Replicas of one system in several states trade them: temperatures, strengths of "
              "contacts, ionic strengths or umbrellas.",
              "ensemble ensemble.temperatures ensemble.exchange_every_steps ensemble.ladders", "",
              "ENSEMBLES"},
    HelpTopic{"umbrella, umbrella sampling, pmf, wham, mbar, free energy, free energies",
              "Umbrella windows are states of an ensemble; free energies come from all samples "
              "by MBAR and stand in NAME.ensemble.h5.",
              "ensemble.umbrella_centres_nm ensemble.umbrella_variable "
              "ensemble.umbrella_k_kj_mol_nm2",
              "", "ENSEMBLES"},
    HelpTopic{"steering, pulling, smd, restraint, bias, plumed, collective variable",
              "A bias acts on a distance or a radius of gyration: harmonic, flat-bottom or a "
              "constant pull.",
              "bias", "", "ENSEMBLES"},
    HelpTopic{"folding temperature, melting temperature, heat capacity, tm, tf, folding",
              "An ensemble of temperatures gives the folding temperature and the heat capacity; a "
              "batch with protocol folding chooses all of its settings by itself.",
              "ensemble.lowest_kelvin ensemble.highest_kelvin ensemble.temperatures", "batch",
              "ENSEMBLES"},
    HelpTopic{"salt, ions, ionic strength, debye, debye length, electrostatics, charge, charges",
              "Charges are screened by the ionic strength (Debye and Hueckel).",
              "force_field.ionic_strength_molar force_field.ph force_field.charged_ends "
              "force_field.dielectric_constant ensemble.ionic_strengths_molar",
              "", "CONDENSATES"},
    HelpTopic{"thermostat, langevin, nvt, nve, friction, bath, constant temperature",
              "langevin-baoab keeps the temperature; velocity-verlet conserves the energy.",
              "dynamics.integrator dynamics.temperature_kelvin dynamics.friction_per_ps", "",
              "THEORY"},
    HelpTopic{"npt, barostat, pressure coupling, virial, pressure",
              "The volume is constant: there is no barostat. The pressure is measured.",
              "observables.pressure system.box_nm", "", "CONDENSATES"},
    HelpTopic{"restart, resume, continue, checkpoint, checkpoints, cpt, append, extend",
              "The same command goes on where it was stopped; --set dynamics.steps=N extends a run "
              "that is done.",
              "output.checkpoint_every_minutes output.checkpoint_every_steps dynamics.steps "
              "start.checkpoint",
              "run launch", "FILES"},
    HelpTopic{"single point, forces, rerun, coordinates, start structure, initial "
              "configuration, gro",
              "A run starts from a file of coordinates; nfold energy prints energies and forces of "
              "one.",
              "start.coordinates start.frame", "energy export", "FILES"},
    HelpTopic{"minimisation, minimization, minimise, minimize, energy minimization, em",
              "A start is relaxed before the first step.",
              "start.minimise_steps start.minimise_force_kj_mol_nm", "", ""},
    HelpTopic{"native contacts, contact map, contacts, q, fraction of native contacts, shadow map",
              "The map decides which residues attract in a go model; Q, the fraction of contacts "
              "that are formed, stands in NAME.energies.csv.",
              "force_field.contacts force_field.contact_potential ensemble.analysis.contacts "
              "observables.contact_maps",
              "", "ENSEMBLES"},
    HelpTopic{"slab, droplet, phase diagram, llps, phase separation, condensate, condensates, "
              "coexistence, saturation concentration, csat, binodal, critical temperature, "
              "partition coefficient, surface tension",
              "nfold phase SEQUENCES.fasta makes slabs and measures both phases to a wanted error.",
              "start.from start.slab_axis observables.coexistence observables.dilute_error",
              "phase prepare", "PHASE"},
    HelpTopic{"msd, diffusion, mean square displacement",
              "Mean square displacements of chains are averaged while the run goes.",
              "observables.mean_square_displacement observables.every_steps", "", "CONDENSATES"},
    HelpTopic{"cutoff, cut-off, rlist, neighbour list, neighbor list, verlet list, pairlist, skin",
              "Cutoffs belong to the force field; the list and its skin change no result.",
              "force_field.short_range_cutoff_nm force_field.electrostatic_cutoff_nm "
              "force_field.repulsion.cutoff_nm neighbour_list",
              "", ""},
    HelpTopic{"gpu, gpus, cuda, mpi, mpirun, ranks, threads, openmp, cores, nvlink",
              "A rank takes one GPU, or the cores that are its share; no result depends on either.",
              "devices partition", "devices launch", "CLUSTER"},
    HelpTopic{"memory, out of memory, oom, ram",
              "nfold check --memory lists what a run needs by group of arrays.",
              "devices.memory_limit_gb", "check plan", "DEVICES"},
    HelpTopic{"speed, performance, benchmark, ns per day, profiling, slow, timeline",
              "--profile of run and batch clocks each part of a step; nfold bench measures.", "",
              "bench plan", "PROFILE"},
    HelpTopic{"units, unit, kelvin, epsilon",
              "nm, ps, amu, kJ/mol, e, K; the unit of a key is in its name. A go model's energies "
              "are in units of epsilon, so its kelvin are the model's.",
              "force_field.epsilon_kj_mol", "", "UNITS"},
    HelpTopic{
        "fasta, idp, idr, disordered, intrinsically disordered, martini, hps, force field",
        "Sequences become chains of a condensate model, a bead a residue; nfold help models lists "
        "the force fields.",
        "system.species force_field.model", "prepare", "MODELS"},
    HelpTopic{"chain size, end-to-end distance, scaling exponent, idrome, proteome",
              "nfold batch SEQUENCES.fasta measures the size and shape of each chain to a wanted "
              "error.",
              "ensemble.analysis.chain ensemble.rg_error", "batch", "SEQUENCES"},
    HelpTopic{
        "rna, nucleic acid, peg, crowder",
        "Some force fields have beads for RNA or crowders; nfold help models lists them, and a "
        "file that extends one adds others.",
        "force_field.model force_field.table", "prepare", "MODELS"},
    HelpTopic{"mutation, mutations, point mutation, mutant, variant, phosphorylation, "
              "phosphoserine, ptm, sep, tpo, ptr",
              "A residue is replaced by its number and new name; modified residues are beads of "
              "some force fields.",
              "system.mutations", "prepare", "MUTATIONS"},
    HelpTopic{"binding, dimer, complex, affinity, dissociation, association, protein-protein",
              "Contacts of one structure hold a complex in a go model; other models decide whether "
              "proteins meet. Umbrella windows give the free energy of their distance.",
              "ensemble.umbrella_residues ensemble.umbrella_centres_nm", "prepare", "BINDING"},
    HelpTopic{"convergence, converged, equilibration, error bars, autocorrelation, blocking",
              "A value without an error, or a gap, means too few independent samples.",
              "observables.equilibration_steps ensemble.equilibration_steps ensemble.starts", "",
              "CONVERGENCE"},
    HelpTopic{
        "smog, smog2, opensmog, gromacs, sbm, structure-based",
        "The go model has the constants and the shadow map of SMOG 2; nfold prepare needs the "
        "structure alone.",
        "force_field.contacts force_field.contact_potential", "prepare", "SMOG2"},
    HelpTopic{"genesis, genesis_cg_tool, cafemol, opencafemol, atdyn, cgdyn",
              "AICG2+, HPS and Kim-Hummer are here; nfold prepare needs the structure alone.",
              "force_field.model", "prepare", "GENESIS"},
    HelpTopic{"calvados, openabc", "A folder of the CALVADOS package runs as it is.", "",
              "prepare run", "CALVADOS"},
    HelpTopic{"theory, equation, equations, hamiltonian, functional form, baoab, philox",
              "The equations of the models and methods, with sources.", "force_field.model", "",
              "THEORY"},
    HelpTopic{"limits, limitations, lipid, lipids, membrane, all-atom, dna, hydrodynamics, "
              "metadynamics",
              "The guide lists what nfold cannot do, and programs that can.", "", "", "LIMITS"},
    HelpTopic{"hdf5, h5, h5md, dataset, datasets, file format, file formats, schema",
              "Each dataset has attributes with its unit and description.", "", "", "FORMATS"},
    HelpTopic{"pdb, mmcif, cif, structure, structures",
              "nfold prepare makes an input of a structure; a go model takes its native contacts "
              "from it.",
              "system.structure system.chains system.model force_field.model", "prepare", ""},
    HelpTopic{"targets, list, many proteins, high throughput, workflow",
              "A batch does a list of targets, isolated from each other.", "", "batch", "BATCH"},
    HelpTopic{"energies, energy, log, output files, columns, csv",
              "NAME.energies.csv has a row of energies and observables every so many steps.",
              "output.energies_every_steps", "", "FILES"},
    HelpTopic{"reproducibility, seed, random, random seed, deterministic, bits",
              "A run gives the same bits on any number of ranks, after any restart.",
              "dynamics.seed", "compare", "FILES"},
};

/// Returns the text in lower case, with blanks between words.
std::string lower_case(std::string_view text) {
  auto lower = core::to_lower(text);
  std::ranges::replace_if(
      lower, [](char c) { return c == '_' || c == '-'; }, ' ');
  return lower;
}

std::vector<std::string_view> parts(std::string_view list, std::string_view between) {
  std::vector<std::string_view> all;
  while (!list.empty()) {
    const auto end = std::min(list.find(between), list.size());
    all.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + between.size(), list.size()));
  }
  return all;
}

}  // namespace

std::span<const HelpTopic> help_topics() { return topics; }

std::string describe_topic(const HelpTopic& topic) {
  std::string text = input::wrapped(topic.answer, 0);
  std::vector<std::string> further;
  for (const auto& name : parts(topic.keys, " ")) {
    const auto* const key = input::find_key(name);
    const auto* const section = input::find_section(name);
    text += fmt::format("  {}\n{}", name,
                        input::wrapped(key != nullptr ? key->help : section->help, 4));
  }
  if (!topic.keys.empty()) further.emplace_back("nfold help KEY");
  for (const auto& command : parts(topic.commands, " ")) {
    further.push_back(fmt::format("nfold {} --help", command));
  }
  if (!topic.guide.empty()) further.push_back(fmt::format("nfold help {}.md", topic.guide));
  return text + (further.empty() ? "" : fmt::format("More: {}\n", fmt::join(further, ", ")));
}

const HelpTopic* find_topic(std::string_view word) {
  const std::string sought = lower_case(word);
  for (const auto& topic : topics) {
    for (const auto& word_of_topic : parts(topic.words, ", ")) {
      if (lower_case(word_of_topic) == sought) return &topic;
    }
  }
  return nullptr;
}

}  // namespace nfold::cli
