// The subcommands of nfold: how each hooks itself into the command line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "job/invocation.hpp"

namespace nfold::batch {
struct BatchOptions;
}
namespace nfold::job {
struct RunOptions;
}
namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;       // CLI11 is a costly header, and most of this folder needs no more
}

namespace nfold::cli {

// Each adds its subcommand with its options to `app`; the subcommand's callback does the work and
// sets invocation.exit_code, or throws: main turns InputError and StructureError into wrong_input,
// any other exception into failed, and prints it once. `invocation` outlives the parse. One file
// each; the list that main walks through is in main.cpp.

/// batch TARGETS: many targets, isolated from each other.
void add_batch(CLI::App& app, job::Invocation& invocation);
/// bench [INPUT.yaml]: steps per second of the suite, or of an input's system.
void add_bench(CLI::App& app, job::Invocation& invocation);
/// run INPUT.yaml: one simulation on all ranks.
void add_run(CLI::App& app, job::Invocation& invocation);
/// launch -n N INPUT.yaml: starts either with its ranks, again where one fails.
void add_launch(CLI::App& app, job::Invocation& invocation);

/// The words behind batch and run; the options must outlive the parse.
void add_batch_options(CLI::App* command, batch::BatchOptions* options);
void add_run_options(CLI::App* command, job::RunOptions* options);

/// plan INPUT: GPUs, memory, time and cost before the job.
void add_plan(CLI::App& app, job::Invocation& invocation);

/// prepare STRUCTURE: an input file for a structure.
void add_prepare(CLI::App& app, job::Invocation& invocation);

/// check INPUT.yaml: everything that run would refuse, in a second and without a GPU.
void add_check(CLI::App& app, job::Invocation& invocation);

/// help [TOPIC] [--reference]: keys of the input file.
void add_help(CLI::App& app, job::Invocation& invocation);

/// compare A B: whether two checkpoints hold the same bytes. 0 the same, 1 different, 3 unreadable.
void add_compare(CLI::App& app, job::Invocation& invocation);
/// devices: what there is to compute with. 2 if a device is unfit.
void add_devices(CLI::App& app, job::Invocation& invocation);
/// export FILE.h5md: DCD, PSF, PDB.
void add_export(CLI::App& app, job::Invocation& invocation);

}  // namespace nfold::cli
