#!/usr/bin/env bash
# A job of nfold for LSF, written by nfold; submit it by: bsub < FILE
# SPDX-License-Identifier: BSD-3-Clause
#BSUB -J "{{array_name}}"
#BSUB -n {{all_ranks}}
#BSUB -R "span[ptile={{all_ranks_per_node}}]"
#BSUB -R "affinity[core({{cores_per_rank}})]"
#BSUB -R "select[{{constraint}}]"
#BSUB -R "rusage[mem={{memory_mib}}MB]"
#BSUB -gpu "num={{gpus_per_node}}"
#BSUB -W {{limit_minutes}}
#BSUB -q {{queue}}
#BSUB -P {{account}}
#BSUB -wa USR1
#BSUB -wt {{warning_minutes}}
#BSUB -Q "75"
#BSUB -r
#BSUB -o {{name}}.%J.%I.log
# Before the time limit nfold writes a checkpoint and ends with code 75. The job is then queued again and goes on; its
# results have the bits of a job without a stop.
set -u

export OMP_NUM_THREADS={{cores_per_rank}}
{{setup}}
nfold={{nfold}}
nfold_cpu={{nfold_cpu}}
job=$LSB_JOBID.${LSB_JOBINDEX:-0}
{{part}}=${LSB_JOBINDEX:-}
work=({{work}})
sick_nodes=nfold-sick-nodes.$job
failed_before=nfold-failed.$job

# By -Q, LSF queues a job again that ends with code 75.
queue_again() { exit 75; }

