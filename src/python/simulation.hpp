// Simulation for Python: run::Simulation with numpy arrays, one at a time in a process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "engine/engine.hpp"
#include "session/job/run_options.hpp"
#include "session/run/simulation.hpp"
#include "system/box.hpp"
#include "system/state.hpp"

namespace nfold::python {

using Rows = nanobind::ndarray<nanobind::numpy, double, nanobind::shape<-1, 3>, nanobind::c_contig>;
using Column = nanobind::ndarray<nanobind::numpy, double, nanobind::shape<-1>, nanobind::c_contig>;

/// Simulation of one input; members are collective. Steps and files release Python's lock. Failures
/// of all ranks are thrown on each of them, those of one rank end the job.
class Simulation {
 public:
  /// Starts MPI, if a launcher started this process, and Kokkos, once in a process. See
  /// module.cpp for the arguments.
  Simulation(const std::string& text, const std::filesystem::path& file,
             const std::vector<std::string>& overrides, const std::string& output,
             const std::string& resume, bool overwrite, int threads, bool quiet,
             std::uintptr_t mpi_comm);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  [[nodiscard]] std::string advance_until(std::int64_t step);
  void end(const std::string& stop_reason);
  void write_checkpoint(const std::filesystem::path& path);

  [[nodiscard]] Rows positions();
  [[nodiscard]] Rows velocities();
  [[nodiscard]] Rows forces();
  [[nodiscard]] nanobind::dict report();
  [[nodiscard]] Column masses() const;
  [[nodiscard]] nanobind::list chains() const;
  [[nodiscard]] std::int64_t step() const { return simulation_->step(); }
  [[nodiscard]] std::int64_t last_step() const { return simulation_->settings().dynamics.steps; }
  [[nodiscard]] double time_step_ps() const {
    return simulation_->settings().dynamics.time_step_ps;
  }
  /// Lengths of the box [nm]; 0: an open axis.
  [[nodiscard]] nanobind::tuple box_nm() const;
  [[nodiscard]] std::string folder() const { return record_.paths.folder.string(); }
  [[nodiscard]] int rank() const { return communicator_.rank(); }
  [[nodiscard]] int ranks() const { return communicator_.size(); }

 private:
  /// Calls `work` without Python's lock. Records a failure in the files of the run.
  void compute(const std::function<void()>& work);
  /// Frees the simulation, so that the process may have another one.
  void finish();
  [[nodiscard]] engine::Engine& engine();
  [[nodiscard]] system::State state();

  comm::Communicator communicator_;
  job::RunOptions options_;
  run::RunRecord record_;
  std::optional<run::Simulation> simulation_;
  bool has_ended_ = false;
};

[[nodiscard]] bool is_launched();
void abort_job();
void finalize();

}  // namespace nfold::python
