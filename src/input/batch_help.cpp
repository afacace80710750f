// Help on the list of targets.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/batch_file.hpp"

namespace nfold::input {

std::string batch_help() {
  return R"(A list of targets, for nfold batch LIST.yaml:

  batch:                    optional, like each of its keys
    protocol: folding       protocol of a target without one of its own: folding, chain, phase or
                            run;
                            chain for a target with a sequence
    budget_gpu_seconds: 0   GPU time of each folding target, in seconds of one H200; 0: by its size,
                            10 below 100 residues, 300 up to 500, 7200 up to 2000, 86400 above
    seed: 1                 seed of the batch; a target's seed is derived from it and its name
    execution: auto         backend of the targets in a job with GPU and CPU ranks: auto, by the
                            estimated time; cpu; gpu
    idle_ranks_join: true   ranks without a target join a target that other ranks have started, if
                            its estimated rest outweighs the restart; the results do not change
    ranks_per_node: 0       number of consecutive ranks that count as a node, for GPUs that are
                            linked in groups; 0: as MPI reports them. Ranks of a target are on one
                            node where possible
    machine: mine.yaml      machine whose speeds enter the estimates: a built-in one, such as h100,
                            or a file like those in input/machines; default: h200
  input:                    keys of an input file, for all targets
    dynamics: {friction_per_ps: 0.05}
  targets:
  - structure: 1ubq.pdb.gz  PDB or mmCIF. In its place: sequence: GG[SEP]PT, in one-letter codes and
                            names in brackets; or input_file: FILE.yaml; or none of them if `input`
                            has all keys
    name: ubiquitin         name of its folder: letters, digits and ._-+
                            default: name of its structure or input file, without the ending
    chains: [A]             chains of the structure, as system.chains
    model: 1                model of the structure, as system.model
    protocol: run           as batch.protocol, for this target
    execution: cpu          as batch.execution, for this target
    input: {...}            keys of this target, which override those for all targets

  folding: a go model's folding temperature, free energy of Q with its barrier, and folding times
           from unfolded chains at 0.85 of the folding temperature.
  chain:   size and shape of one chain, from independent replicas at dynamics.temperature_kelvin.
           Ends when the standard error of the radius of gyration is ensemble.rg_error of it (0.01),
           or after dynamics.steps. Model: calvados2, unless force_field.model names another.
  phase:   concentrations of both phases of a slab, interface and surface tension. Ends when the
           standard error of the dilute concentration is observables.dilute_error of it (0.1), or
           after dynamics.steps; a slab that is too thin, or a box that is too short, is made larger
           and run again. nfold phase writes such a list for sequences and temperatures.
  run:     the simulation or the ensemble that its input describes.

A job with GPU and CPU ranks runs two builds of the same sources,
mpirun -n 1 nfold batch LIST : -n 4 nfold-cpu batch LIST. nfold chooses the backend of a target
once, before its first step, and records it with the reason in batch.log and NAME/NAME.space.yaml.
A resumed target keeps its backend, and waits if the job has no rank of it. If `execution` names a
backend that the job lacks, nfold reports an error.

Paths are relative to the folder of the list, those of an input_file to the folder of that file. If
a key has several values, the later of these takes precedence: values of the protocol, input_file,
input for all targets, input of the target, --set. A folder may replace the list: its structures
fold, and its .yaml files run. Sequences may replace it too: a FASTA file; a CSV file with the columns
name and sequence, and further ones for keys of `input` (temperature_kelvin, ionic_strength_molar,
dynamics.steps, ...); or a folder of such files. nfold batch --help lists the options, nfold help the keys of an
input.
)";
}

}  // namespace nfold::input
