// Job scripts of three schedulers: directives, quotes and errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/job_script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/input_error.hpp"

namespace nfold::estimate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Two nodes with four GPUs each, for a day, an hour, a minute and a second.
JobScript large_job(Scheduler scheduler) {
  JobScript job;
  job.scheduler = scheduler;
  job.name = "droplet";
  job.nodes = 2;
  job.ranks_per_node = 4;
  job.cores_per_rank = 8;
  job.uses_gpus = true;
  job.memory_per_node_bytes = std::int64_t{64} << 30;
  job.time_limit_seconds = 90061;
  job.queue = "gpu";
  job.account = "proj1";
  job.constraint = "h100";
  job.input = "droplet.yaml";
  return job;
}

JobScript batch_of_parts(Scheduler scheduler) {
  JobScript job;
  job.scheduler = scheduler;
  job.command = JobCommand::batch;
  job.input = "targets.yaml";
  job.array_parts = 4;
  return job;
}

std::string format_error(const JobScript& job) {
  try {
    (void)format_text(job);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

// The options are those of sbatch(1) of Slurm 22.05.
TEST(JobScript, WritesSlurmDirectives) {
  EXPECT_THAT(
      format_text(large_job(Scheduler::slurm)),
      AllOf(HasSubstr(
                "\n#SBATCH --job-name=droplet\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\n"
                "#SBATCH --cpus-per-task=8\n#SBATCH --gpus-per-node=4\n#SBATCH --mem=65536M\n"
                "#SBATCH --time=1-01:01:01\n#SBATCH --partition=gpu\n#SBATCH --account=proj1\n"
                "#SBATCH --constraint=\"h100\"\n#SBATCH --signal=B:USR1@120\n#SBATCH --requeue\n"),
            HasSubstr("launch --sick-nodes \"$sick_nodes\" \"${work[@]}\" &"),
            HasSubstr("work=(run droplet.yaml --resume auto --quiet)")));
}

// Chunks and walltime as in the reference guide of PBS Professional.
TEST(JobScript, WritesPbsDirectives) {
  EXPECT_THAT(format_text(large_job(Scheduler::pbs)),
              AllOf(HasSubstr("\n#PBS -l select=2:ncpus=32:mpiprocs=4:ompthreads=8:ngpus=4:mem="
                              "65536mb:h100\n#PBS -l place=scatter\n#PBS -l walltime=25:01:01\n"
                              "#PBS -q gpu\n#PBS -A proj1\n"),
                    HasSubstr(" --time-limit 89941s)"), HasSubstr("cd \"$PBS_O_WORKDIR\"")));
}

// Options of bsub of LSF 10.1; limits and warnings are whole minutes.
TEST(JobScript, WritesLsfDirectives) {
  EXPECT_THAT(format_text(large_job(Scheduler::lsf)),
              AllOf(HasSubstr("\n#BSUB -J \"droplet\"\n#BSUB -n 8\n#BSUB -R \"span[ptile=4]\"\n"
                              "#BSUB -R \"affinity[core(8)]\"\n#BSUB -R \"select[h100]\"\n"
                              "#BSUB -R \"rusage[mem=65536MB]\"\n#BSUB -gpu \"num=4\"\n"
                              "#BSUB -W 1502\n#BSUB -q gpu\n#BSUB -P proj1\n#BSUB -wa USR1\n"
                              "#BSUB -wt 2\n#BSUB -Q \"75\"\n"),
                    Not(HasSubstr("--time-limit"))));
}

TEST(JobScript, OmitsUnsetOptions) {
  for (const auto scheduler : all_schedulers) {
    JobScript job;
    job.scheduler = scheduler;
    job.input = "a.yaml";
    const auto text = format_text(job);
    for (const char* part : {"{{", "mem", "partition", "account", "gpu", "select[", "place=",
                             "--array", "[1-", "-J 1", "part=", "nfold_cpu", "--launcher"}) {
      EXPECT_THAT(text, Not(HasSubstr(part))) << scheduler_name(scheduler);
    }
  }
}

TEST(JobScript, ArrayJobsHaveTheirParts) {
  EXPECT_THAT(
      format_text(batch_of_parts(Scheduler::slurm)),
      AllOf(HasSubstr("\n#SBATCH --array=1-4\n"), HasSubstr("part=${SLURM_ARRAY_TASK_ID:-}"),
            HasSubstr("work=(batch targets.yaml --resume auto --quiet --part \"$part/4\")")));
  EXPECT_THAT(format_text(batch_of_parts(Scheduler::pbs)),
              AllOf(HasSubstr("\n#PBS -J 1-4\n"), HasSubstr("PBS_ARRAY_INDEX")));
  EXPECT_THAT(format_text(batch_of_parts(Scheduler::lsf)),
              AllOf(HasSubstr("\n#BSUB -J \"nfold[1-4]\"\n"), HasSubstr("LSB_JOBINDEX")));
}

TEST(JobScript, QuotesShellCharacters) {
  JobScript job;
  job.input = "my input/it's $HOME.yaml";
  job.output = "out dir";
  job.nfold = "/opt/my programs/nfold";
  job.launcher = "mpirun --mca btl ^openib";
  job.options = {"--set", "dynamics.steps=10", "`date`"};
  EXPECT_THAT(
      format_text(job),
      AllOf(HasSubstr(R"(work=(run 'my input/it'\''s $HOME.yaml' --resume auto --quiet --output )"
                      R"('out dir' --set dynamics.steps=10 '`date`'))"),
            HasSubstr("nfold='/opt/my programs/nfold'\n"),
            HasSubstr(" --launcher 'mpirun --mca btl ^openib' ")));
}

TEST(JobScript, BatchUsesTwoBuilds) {
  JobScript job = batch_of_parts(Scheduler::slurm);
  job.array_parts = 0;
  job.uses_gpus = true;
  job.ranks_per_node = 4;
  job.cpu_ranks_per_node = 32;
  job.nfold_cpu = "nfold-cpu";
  EXPECT_THAT(format_text(job),
              AllOf(HasSubstr("--ntasks-per-node=36\n"), HasSubstr("--gpus-per-node=4\n"),
                    HasSubstr("nfold_cpu=nfold-cpu\n"),
                    HasSubstr(R"(choose 4 "$nfold" "$nfold_cpu" "${work[@]}" &)")));
}

TEST(JobScript, NamesAllErrors) {
  JobScript job;
  job.name = "my job";
  job.queue = "gpu'";
  job.nodes = 0;
  job.ranks_per_node = 0;
  job.time_limit_seconds = 7200;
  job.queue_limit_seconds = 3600;
  job.warning_seconds = 7200;
  EXPECT_THAT(
      format_error(job),
      AllOf(HasSubstr("name = 'my job' (may have letters"), HasSubstr("queue = 'gpu''"),
            HasSubstr("nodes = 0 (must be at least 1)"), HasSubstr("ranks_per_node = 0"),
            HasSubstr("time_limit_seconds = 7200 (must be at most 3600, the limit of queue gpu'"),
            HasSubstr("warning_seconds = 7200"), HasSubstr("input is empty")));
}

TEST(JobScript, RefusesConflictingOptions) {
  JobScript job;
  job.input = "a.yaml";
  job.array_parts = 4;
  EXPECT_THAT(format_error(job), HasSubstr("array_parts = 4"));
  job = batch_of_parts(Scheduler::slurm);
  job.array_parts = 1;
  EXPECT_THAT(format_error(job), HasSubstr("array_parts = 1"));
  job = batch_of_parts(Scheduler::pbs);
  job.launcher = "srun --mpi=pmix";
  EXPECT_THAT(format_error(job), HasSubstr("srun is Slurm's"));
  job = batch_of_parts(Scheduler::slurm);
  job.cpu_ranks_per_node = 2;
  EXPECT_THAT(format_error(job), HasSubstr("needs nfold_cpu"));
  job.nfold_cpu = "nfold-cpu";
  job.command = JobCommand::run;
  EXPECT_THAT(format_error(job), HasSubstr("is for a batch"));
  job = {};
  job.input = "a\nb.yaml";
  EXPECT_THAT(format_error(job), HasSubstr("input has a line break"));
}

TEST(JobScript, FindsSchedulersByName) {
  for (const auto scheduler : all_schedulers) {
    EXPECT_EQ(scheduler_of(scheduler_name(scheduler)), scheduler);
  }
  EXPECT_EQ(scheduler_of("cron"), std::nullopt);
  EXPECT_EQ(submit_command(Scheduler::lsf, "my job.sh"), "bsub < 'my job.sh'");
}

}  // namespace
}  // namespace nfold::estimate
