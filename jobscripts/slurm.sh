#!/usr/bin/env bash
# Slurm: one nfold run or batch that outlives failed GPUs and nodes, and goes on after its time limit.
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=nfold
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --no-kill
#SBATCH --open-mode=append
# With --no-kill a lost node ends the ranks, and this script decides.
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
export SRUN_CPUS_PER_TASK=$OMP_NUM_THREADS
sick_nodes=nfold-sick-nodes.${SLURM_JOB_ID:-0}

# nfold launch starts the job's tasks by srun or mpirun and watches them. After a failure it goes on
# from the last checkpoint; a node that is lost or sick it names in $sick_nodes, and ends with 75.
# Slurm signals this script (B:) two minutes before the end. USR1 goes on to the ranks, which write a
# checkpoint; code 75 then says "start me again".
# $NFOLD_MPIRUN names another launcher, with options of the site.
if [ -z "$nfold_cpu" ]; then
  "$nfold" launch ${NFOLD_MPIRUN:+--launcher "$NFOLD_MPIRUN"} --sick-nodes "$sick_nodes" \
    $command "$input" --resume auto --quiet &
else
  # By place on the node, so that each has its GPUs' ranks. A target goes where it ends sooner.
  choose='[ "${OMPI_COMM_WORLD_LOCAL_RANK:-${SLURM_LOCALID:-0}}" -lt "$1" ] && program=$2 || program=$3
    shift 3; exec "$program" "$@"'
  ${NFOLD_MPIRUN:-mpirun} bash -c "$choose" choose "$gpus_per_node" "$nfold" "$nfold_cpu" \
    batch "$input" --resume auto --quiet &
fi
nfold_process=$!
signalled=no
trap 'signalled=yes; kill -USR1 "$nfold_process"' USR1

# A wait that the trap ends gives the signal's code; the next one gives the program's.
wait "$nfold_process"
code=$?
while [ "$signalled" = yes ]; do
  signalled=no
  wait "$nfold_process"
  code=$?
done

if [ "$code" = 75 ]; then
  if [ -s "$sick_nodes" ]; then
    echo "job ${SLURM_JOB_ID:-} leaves out: $(paste -sd, "$sick_nodes")"
    scontrol update JobId="$SLURM_JOB_ID" ExcNodeList="$(paste -sd, "$sick_nodes")"
  fi
  echo "nfold stopped with a checkpoint; queueing job ${SLURM_JOB_ID:-} again"
  scontrol requeue "$SLURM_JOB_ID"
  exit 0
fi
exit "$code"
