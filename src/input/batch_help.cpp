// Help on the list of targets.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/batch_file.hpp"

namespace nfold::input {

std::string batch_help() {
  return R"(A list of targets, for nfold batch LIST.yaml:

  batch:                    all of it may be left out
    protocol: folding       what is done with a target that says nothing else
    budget_gpu_seconds: 0   seconds of one H200 that each target which folds is given; 0: by its
                            size, 10 below 100 residues, 300 to 500, 7200 to 2000, 86400 above
    seed: 1                 each target's own seed is made of this one and its name
    execution: auto         where targets are computed in a job with GPU and CPU ranks: auto, by the
                            predicted time; cpu; gpu
    idle_ranks_join: true   ranks that have no target left join one that others have started, where
                            its predicted rest pays for the restart; the results don't change
    ranks_per_node: 0       so many ranks in a row count as a node, for GPUs that are linked in
                            groups; 0: as MPI finds them. Ranks of a target are of one node if they can
    machine: mine.yaml      speeds by which that is predicted: a machine that is built in, such as
                            h100, or a file as input/machines has them; without it h200
  input:                    keys of an input file, for all targets
    dynamics: {friction_per_ps: 0.05}
  targets:
  - structure: 1ubq.pdb.gz  PDB or mmCIF; or input_file: FILE.yaml; or neither, and input says all
    name: ubiquitin         of its folder, of letters, digits and ._-+
                            default: that of its structure or input file, without the ending
    chains: [A]             parts of the structure, as system.chains
    model: 1                of the structure, as system.model
    protocol: run           as batch.protocol, for this target
    execution: cpu          as batch.execution, for this target
    input: {...}            its own keys, over those for all

  folding: a go model's folding temperature, free energy of Q with its barrier, and folding times
           from unfolded chains at 0.85 of the folding temperature.
  run:     the simulation or the ensemble that its input describes.

A job has both kinds of ranks by two builds of the same sources,
mpirun -n 1 nfold batch LIST : -n 4 nfold-cpu batch LIST. Before a target's first step it is decided
once where it is computed; that and the reason stand in batch.log and in NAME/NAME.space.yaml. It
goes on there after a stop; where no such rank is in the job it waits. A space that is asked for and
not there is an error.

Paths start from the list's folder, those of an input_file from that file's. What is given counts
in this order, the last the most: the protocol's own values, input_file, input for all, input of
the target, --set. In place of a list a folder may be given: each structure in it folds, each .yaml
file in it is run. nfold batch --help lists the options, nfold help the keys of an input.
)";
}

}  // namespace nfold::input
