// Keys of start, dynamics, partition and output of a run.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <string>

#include "input/key_makers.hpp"

namespace nfold::input {

using namespace makers;

namespace {

constexpr std::array<Name, 8> start_names{"native", "unfolded", "random",     "lattice",
                                          "slab",   "droplet",  "checkpoint", "coordinates"};
constexpr std::array<Name, 3> conformation_names{"auto", "native", "unfolded"};
constexpr std::array<Name, 2> integrator_names{"langevin-baoab", "velocity-verlet"};
constexpr std::array<Name, 2> precision_names{"mixed", "double"};
constexpr std::array<Name, 7> partition_names{
    "auto",     "residue-ranges", "recursive-bisection", "hilbert-curve", "random",
    "clusters", "domains"};

constexpr std::array<Name, 2> balance_names{"time", "work"};
constexpr std::array<Name, 6> transport_names{"auto", "peer-memory", "peer-memory-and-nccl",
                                              "nccl", "mpi-device",  "mpi"};

constexpr auto start_at = &Settings::start;
constexpr auto dynamics_at = &Settings::dynamics;
constexpr auto list_at = &Settings::neighbour_list;
constexpr auto output_at = &Settings::output;
constexpr auto partition_at = &Settings::partition;
constexpr auto balance_in = &PartitionSettings::balance;
constexpr auto reliability_at = &Settings::reliability;

std::vector<Key> start_keys() {
  return {
      Key{"start.from", choice<start_at, &StartSettings::from>(start_names), "", refuse,
          "native: the structure; unfolded: self-avoiding coils from the seed; random: chains "
          "anywhere in the box; lattice: chains on a lattice; slab: a dense layer across the box; "
          "droplet: a dense ball; checkpoint: the state in a file; coordinates: a configuration in "
          "a file.",
          false,
          "checkpoint or coordinates wherever that file is given; with a box, random; else native, "
          "or unfolded where a species has no structure"},
      Key{"start.checkpoint", text<start_at, &StartSettings::checkpoint>(), "", refuse,
          "Checkpoint to start from, relative to the input file's folder. start.from need not say "
          "so: a file counts before it."},
      Key{"start.coordinates", text<start_at, &StartSettings::coordinates>(), "", refuse,
          "File with the place of each bead, relative to the input file's folder: PDB or mmCIF "
          "(.pdb, .ent, .cif, .mmcif, also .gz), GRO, DCD, a run's H5MD, or CSV of x,y,z in nm, a "
          "bead a row. Beads are matched by order; names and chains of the file must agree. A PDB "
          "or mmCIF of all atoms gives the C-alpha or the place that the model takes. "
          "system.box_nm is used; a file of beads with another box is refused."},
      Key{"start.frame", text<start_at, &StartSettings::frame>(), "", refuse,
          "Which frame of start.coordinates, counted from 0, or last; of a PDB or mmCIF the "
          "model."},
      Key{"start.conformation", choice<start_at, &StartSettings::conformation>(conformation_names),
          "", refuse,
          "What a chain looks like where it is placed: native as in its structure, unfolded a "
          "self-avoiding coil but for folded domains and the linkers between them; auto takes "
          "native for a species with a structure."},
      Key{"start.slab_axis", choice<start_at, &StartSettings::slab_axis>(axis_names), "", refuse,
          "Axis across the layer of a slab start."},
      Key{"start.slab_thickness_nm", real<start_at, &StartSettings::slab_thickness_nm>(0, 2000),
          "nm", refuse, "Thickness of a slab start; 0 takes a protein's density in a condensate."},
      Key{"start.droplet_radius_nm", real<start_at, &StartSettings::droplet_radius_nm>(0, 2000),
          "nm", refuse, "Radius of a droplet start; 0 takes a protein's density in a condensate."},
      Key{"start.minimise_steps", integer<start_at, &StartSettings::minimise_steps>(0, 1'000'000),
          "steps", refuse,
          "Most steps of the minimiser (FIRE: Bitzek et al., Phys. Rev. Lett. 97, 170201 (2006)) "
          "before the first step of the dynamics; 0: none.",
          false, "0 for native, unfolded, checkpoint and coordinates, else 1000"},
      Key{"start.minimise_force_kj_mol_nm",
          real_above<start_at, &StartSettings::minimise_force_kj_mol_nm>(0, 1e6), "kJ/mol/nm",
          refuse,
          "The minimiser stops when no residue feels a stronger force. A bond's thermal force is "
          "about 140 kJ/mol/nm."},
  };
}

std::vector<Key> dynamics_keys() {
  return {
      Key{"dynamics.integrator",
          choice<dynamics_at, &DynamicsSettings::integrator>(integrator_names), "", refuse,
          "langevin-baoab (Leimkuhler and Matthews, Appl. Math. Res. Express 2013, 34) keeps the "
          "temperature; velocity-verlet keeps the energy, as a friction of 0 does. Where the "
          "energy is kept, the centre of mass is at rest from the start, and the temperature "
          "counts 3 N - 3 degrees of freedom of N residues; with a thermostat it counts 3 N."},
      Key{"dynamics.precision", choice<dynamics_at, &DynamicsSettings::precision>(precision_names),
          "", refuse,
          "Arithmetic of the forces. Positions and sums are exact integers in both; mixed computes "
          "forces at rounded positions, off by about 4e-6 of their size in a box of 15 nm and 6e-5 "
          "in a go model without a box."},
      Key{"dynamics.steps", integer<dynamics_at, &DynamicsSettings::steps>(0, most_steps), "steps",
          allow, "Length of the run, from step 0; a resume may raise it.", true},
      Key{"dynamics.time_step_ps", real_above<dynamics_at, &DynamicsSettings::time_step_ps>(0, 1),
          "ps", refuse,
          "Time step. A bond is stable below sqrt(mass/k); a tenth of that is accurate: for go "
          "0.0005 with mass 1, 0.005 to 0.01 with mass 100.",
          false, "0.0005 for go, else 0.01"},
      Key{"dynamics.temperature_kelvin",
          real<dynamics_at, &DynamicsSettings::temperature_kelvin>(0, 1e5), "K", refuse,
          "Temperature of the Langevin thermostat and of the first velocities. In the go model "
          "many "
          "proteins fold near 100 to 120 times epsilon_kj_mol.",
          false, "100 for go, else 300"},
      Key{"dynamics.friction_per_ps", real<dynamics_at, &DynamicsSettings::friction_per_ps>(0, 1e4),
          "1/ps", refuse, "Friction of the Langevin thermostat, in proportion to the mass.", false,
          "1 for go, else that of the model (`about` in its table), mostly 0.01"},
      Key{"dynamics.seed", integer<dynamics_at, &DynamicsSettings::seed>(0, any_seed), "", refuse,
          "Seed of all random numbers: first velocities, unfolded start, Langevin noise."},
      Key{"dynamics.replica", integer<dynamics_at, &DynamicsSettings::replica>(0, 4'294'967'295),
          "", refuse, "Number of the replica: another one draws other numbers from the same seed."},
  };
}

std::vector<Key> partition_and_output_keys() {
  return {
      Key{"neighbour_list.skin_nm", real<list_at, &NeighbourListSettings::skin_nm>(0, 10), "nm",
          allow, "Margin of the neighbour list; 0 leaves the choice to nfold."},
      Key{"neighbour_list.rebuild_every",
          integer<list_at, &NeighbourListSettings::rebuild_every>(0, 1'000'000'000), "steps", allow,
          "Rebuilds the list each so many steps, which serves tests; 0 rebuilds when needed."},

      Key{"output.trajectory_every_steps",
          integer<output_at, &OutputSettings::trajectory_every_steps>(0, most_steps), "steps",
          allow, "Interval of the frames in NAME.h5md."},
      Key{"output.energies_every_steps",
          integer<output_at, &OutputSettings::energies_every_steps>(0, most_steps), "steps", allow,
          "Interval of the rows in NAME.energies.csv."},
      Key{"output.checkpoint_every_steps",
          integer<output_at, &OutputSettings::checkpoint_every_steps>(0, most_steps), "steps",
          allow, "Interval of the checkpoints in steps; one is written at the end in any case."},
      Key{"output.checkpoint_every_minutes",
          real<output_at, &OutputSettings::checkpoint_every_minutes>(0, 1e6), "minutes", allow,
          "Interval of the checkpoints in minutes of wall clock; both intervals may be in use."},
      Key{"output.checkpoint_in_background",
          flag<output_at, &OutputSettings::checkpoint_in_background>(), "", allow,
          "Steps go on while a checkpoint of a copy of the state is written; false makes them "
          "wait. The first and the last one are waited for."},
      Key{"output.dcd", flag<output_at, &OutputSettings::dcd>(), "", allow,
          "Writes the frames to NAME.dcd with a NAME.psf as well, for VMD."},

      Key{"partition.method", choice<partition_at, &PartitionSettings::method>(partition_names), "",
          allow,
          "residue-ranges gives each rank consecutive residues of equal work; recursive-bisection "
          "and hilbert-curve give each a part of space with equal work; clusters cuts where few "
          "contacts and near residues are cut, by METIS; domains keeps structural domains whole; "
          "auto predicts the step of each and takes the shortest. Within 1 % of that it takes "
          "clusters where there are native contacts. Within 3 %, above 200,000 residues and above "
          "64 ranks it takes residue-ranges for a single chain, else recursive-bisection; random "
          "serves tests."},
      Key{"partition.domains", text_list<partition_at, &PartitionSettings::domains>(), "", allow,
          "For partition.method = domains: the domains, each a text of residue ranges by the "
          "numbers of the structure: \"A:10-50,60-72\", or \"A:10-50,B:1-20\" over two chains; of "
          "a single chain without its name. Every copy has its own. What lies between two domains "
          "goes half to each. A domain with more work than a rank's part is cut.",
          false,
          "the folded domains of the input, else communities of each molecule's contacts by "
          "modularity"},
      Key{"partition.transport",
          choice<partition_at, &PartitionSettings::transport>(transport_names), "", allow,
          "How border residues reach other ranks. peer-memory: GPUs of one node write into each "
          "other's memory, and ranks that share one GPU too, but slowly and only where this is "
          "asked for; peer-memory-and-nccl: peer memory between GPUs that reach each other, NCCL "
          "between nodes; nccl; mpi-device: MPI is given GPU memory; mpi: through the host's "
          "memory, the only one between CPUs; auto measures those that are possible at the start "
          "and takes the fastest (nccl only where peer memory is missing or slow), and the log has "
          "the times."},
      Key{"partition.ranks_per_node",
          integer<partition_at, &PartitionSettings::ranks_per_node>(0, 1'000'000), "", allow,
          "So many ranks in a row count as one node, for the partition and for the transports: a "
          "part of a node whose GPUs are linked more closely, or a test. 0: the nodes that MPI "
          "finds."},
      Key{"partition.rebalance_every_steps",
          integer<partition_at, &PartitionSettings::rebalance_every_steps>(0, most_steps), "steps",
          allow,
          "How often, at least, ranks compare how busy they are; where one is busier than the "
          "others, or residues have mixed so that ghosts have become many, residues are shared out "
          "anew (partition.balance). 0: never."},
      Key{"partition.wait_limit_seconds",
          real<partition_at, &PartitionSettings::wait_limit_seconds>(0, 1e9), "s", allow,
          "How long a rank waits for another that stands still before it ends the run with a "
          "message and exit code 3; a disk that stalls counts too. 0: for ever."},
      Key{"partition.seed", integer<partition_at, &PartitionSettings::seed>(0, any_seed), "", allow,
          "Seed of the random partition."},
      Key{"partition.balance.by",
          choice<partition_at, balance_in, &BalanceSettings::by>(balance_names), "", allow,
          "time: by the seconds that each rank was busy, so that a slow or shared device gets "
          "less; work: by counts of pairs, rows and ghosts, for which no clock is asked."},
      Key{"partition.balance.hot", real<partition_at, balance_in, &BalanceSettings::hot>(0, 1), "",
          allow, "Busy part of a step's time above which a rank is hot."},
      Key{"partition.balance.cold", real<partition_at, balance_in, &BalanceSettings::cold>(0, 1),
          "", allow,
          "Busy part of a step's time below which a rank is cold. Where all are, communication "
          "bounds the step, and no residue moves."},
      Key{"partition.balance.threshold",
          real<partition_at, balance_in, &BalanceSettings::threshold>(0, 100), "", allow,
          "Loads are uneven where one rank is hot and another cold, or the busiest is over the "
          "mean by more than this part of it."},
      Key{"partition.balance.patience",
          integer<partition_at, balance_in, &BalanceSettings::patience>(1, 1000), "assessments",
          allow,
          "Uneven assessments in a row before a new map is tried; four times as many where a rank "
          "is hot and the busiest is over the mean by 0.05 to the threshold. After a move, loads "
          "are mended at once until the busiest is within 0.05 of the mean."},
      Key{"partition.balance.margin",
          real<partition_at, balance_in, &BalanceSettings::margin>(0, 1000), "", allow,
          "A new map is taken where the seconds that it gains, up to the last step or over 100,000 "
          "steps (partition.rebalance_every_steps, if more), exceed this many times those of the "
          "move."},

      Key{"reliability.verify_every_steps",
          integer<reliability_at, &ReliabilitySettings::verify_every_steps>(0, most_steps), "steps",
          allow,
          "At multiples of this, up to 100 steps are computed again, by other ranks where there "
          "are several, and compared bit by bit: 10000 costs 1 % more steps. A difference names "
          "the device that was wrong, and the run goes on from the verified state. 0: never."},
  };
}

}  // namespace

std::vector<Key> makers::run_keys() {
  std::vector<Key> all;
  for (const auto& part : {start_keys(), dynamics_keys(), partition_and_output_keys()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace nfold::input
