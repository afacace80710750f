#!/usr/bin/env bash
# Slurm: one nfold run or batch over MPI that stops before the time limit, and goes on in the next allotment.
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=nfold
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
# EDIT: nodes, tasks and time above, modules and the names below. For a batch on GPUs and CPU cores at once
# --ntasks-per-node counts both, as with --gpus-per-node=4 --ntasks-per-node=36.
set -u

# module load openmpi hdf5
nfold=${NFOLD:-nfold}
command=${NFOLD_COMMAND:-run}  # or batch, with a list of targets; its code 2: some failed or wait for other ranks
input=${NFOLD_INPUT:-input/ubiquitin.yaml}
nfold_cpu=${NFOLD_CPU:-}  # of a batch on both: nfold-cpu, a CPU build of the same sources; empty: on one kind
gpus_per_node=${NFOLD_GPUS_PER_NODE:-4}  # of a batch on both: so many ranks of each node run nfold

export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}

# Slurm signals this script (B:) two minutes before the end. mpirun hands USR1 on to the ranks, which
# write a checkpoint; nfold's code 75 then says "start me again". TERM would kill them after a second.
# $NFOLD_MPIRUN may carry more options of the site.
if [ -z "$nfold_cpu" ]; then
  ${NFOLD_MPIRUN:-mpirun} "$nfold" $command "$input" --resume auto --quiet &
else
  # By place on the node, so that each has its GPUs' ranks. A target goes where it ends sooner.
  choose='[ "${OMPI_COMM_WORLD_LOCAL_RANK:-${SLURM_LOCALID:-0}}" -lt "$1" ] && program=$2 || program=$3
    shift 3; exec "$program" "$@"'
  ${NFOLD_MPIRUN:-mpirun} bash -c "$choose" choose "$gpus_per_node" "$nfold" "$nfold_cpu" \
    batch "$input" --resume auto --quiet &
fi
mpirun_process=$!
signalled=no
trap 'signalled=yes; kill -USR1 "$mpirun_process"' USR1

# A wait that the trap ends gives the signal's code; the next one gives the program's.
wait "$mpirun_process"
code=$?
while [ "$signalled" = yes ]; do
  signalled=no
  wait "$mpirun_process"
  code=$?
done

if [ "$code" = 75 ]; then
  echo "nfold stopped with a checkpoint; queueing job ${SLURM_JOB_ID:-} again"
  scontrol requeue "$SLURM_JOB_ID"
  exit 0
fi
exit "$code"
