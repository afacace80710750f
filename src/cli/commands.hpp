// The subcommands of nfold: how each hooks itself into the command line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;       // CLI11 is a costly header, and most of this folder needs no more
}

namespace nfold::cli {

/// What the program tells its caller; scripts and queues read it.
enum class ExitCode : int {
  done = 0,
  wrong_input = 1,     ///< wrong usage or input
  partly_failed = 2,   ///< some targets failed or wait for ranks of another kind, the rest complete
  failed = 3,          ///< failed while running
  stopped_early = 75,  ///< signal or time limit; a checkpoint is written: start again
};

/// main's own arguments, for the commands that start MPI, and the verdict it returns.
struct Launch {
  int argc = 0;
  char** argv = nullptr;
  ExitCode exit_code = ExitCode::done;
};

// Each adds its subcommand with its options to `app`; the subcommand's callback does the work and
// sets launch.exit_code, or throws: main turns InputError and StructureError into wrong_input, any
// other exception into failed, and prints it once. `launch` outlives the parse. One file each; the
// list that main walks through is in main.cpp.

/// batch TARGETS: many targets, isolated from each other.
void add_batch(CLI::App& app, Launch& launch);
/// bench [INPUT.yaml]: steps per second of the suite, or of an input's system.
void add_bench(CLI::App& app, Launch& launch);
/// run INPUT.yaml: one simulation on all ranks.
void add_run(CLI::App& app, Launch& launch);

/// prepare STRUCTURE: an input file for a structure.
void add_prepare(CLI::App& app, Launch& launch);

/// check INPUT.yaml: everything that run would refuse, in a second and without a GPU.
void add_check(CLI::App& app, Launch& launch);

/// help [TOPIC] [--reference]: keys of the input file.
void add_help(CLI::App& app, Launch& launch);

/// compare A B: whether two checkpoints hold the same bytes. 0 the same, 1 different, 3 unreadable.
void add_compare(CLI::App& app, Launch& launch);
/// export FILE.h5md: DCD, PSF, PDB.
void add_export(CLI::App& app, Launch& launch);

}  // namespace nfold::cli
