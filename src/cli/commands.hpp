// Subcommands of nfold.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "session/job/invocation.hpp"

namespace nfold::batch {
struct BatchOptions;
}
namespace nfold::job {
struct RunOptions;
}
namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;       // CLI11 is costly to include, and most of this folder needs no more
}

namespace nfold::cli {

// Each function adds its subcommand with its options to `app`. The subcommand's callback runs the
// command and sets invocation.exit_code, or throws: main maps InputError and StructureError to
// wrong_input and every other exception to failed, and prints it once. `invocation` must outlive
// the parse. Each subcommand has one file; main.cpp lists them.

/// Adds batch TARGETS: many targets, isolated from each other.
void add_batch(CLI::App& app, job::Invocation& invocation);
/// Adds phase SEQUENCES: a slab for each sequence and temperature.
void add_phase(CLI::App& app, job::Invocation& invocation);
/// Adds bench [INPUT.yaml]: steps per second of the suite, or of an input's system.
void add_bench(CLI::App& app, job::Invocation& invocation);
/// Adds run INPUT.yaml: one simulation on all ranks.
void add_run(CLI::App& app, job::Invocation& invocation);
/// Adds launch -n N INPUT.yaml: starts the ranks of run or batch and restarts them after failures.
void add_launch(CLI::App& app, job::Invocation& invocation);

/// Adds the arguments and options of batch, phase and run; `options` must outlive the parse.
void add_batch_options(CLI::App* command, batch::BatchOptions* options);
void add_phase_options(CLI::App* command, batch::BatchOptions* options);
/// Names the list and the output folder of phase after its first file.
void name_phase_targets(batch::BatchOptions& options);
void add_run_options(CLI::App* command, job::RunOptions* options);

/// Adds plan INPUT: GPUs, memory, time and cost before the job.
void add_plan(CLI::App& app, job::Invocation& invocation);

/// Adds prepare STRUCTURE: an input file for a structure.
void add_prepare(CLI::App& app, job::Invocation& invocation);

/// Adds check INPUT.yaml: every error that run would report, in a second and without a GPU.
void add_check(CLI::App& app, job::Invocation& invocation);

/// Adds help [TOPIC] [--reference]: keys of the input file.
void add_help(CLI::App& app, job::Invocation& invocation);

/// Adds compare A B: compares the contents of two checkpoints. Exit code 0: equal, 1: different, 3:
/// unreadable.
void add_compare(CLI::App& app, job::Invocation& invocation);
/// Adds devices: the devices of this node. Exit code 2 if a device is unfit.
void add_devices(CLI::App& app, job::Invocation& invocation);
/// Adds energy INPUT.yaml [COORDINATES]: energies by term of given coordinates, on all ranks.
void add_energy(CLI::App& app, job::Invocation& invocation);
/// Adds export FILE.h5md: DCD, PSF, PDB.
void add_export(CLI::App& app, job::Invocation& invocation);

}  // namespace nfold::cli
