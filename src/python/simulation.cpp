// Process-wide state of MPI and Kokkos, and simulations that use it.
// SPDX-License-Identifier: BSD-3-Clause

#include "python/simulation.hpp"

#include <memory>
#include <span>
#include <utility>

#include "comm/waiting.hpp"
#include "core/failure.hpp"
#include "core/refusal.hpp"
#include "core/signals.hpp"
#include "core/status/output_paths.hpp"
#include "core/storage/atomic_file.hpp"
#include "device/compute_environment.hpp"
#include "session/job/backend_ranks.hpp"
#include "session/job/collective_work.hpp"
#include "session/setup/report.hpp"

namespace nfold::python {
namespace nb = nanobind;
namespace {

using Triples = std::vector<std::array<double, 3>>;

/// MPI and Kokkos, which a process can start once.
struct Process {
  std::optional<comm::Environment> mpi;
  std::optional<device::ComputeEnvironment> compute;
  bool has_simulation = false;  ///< one that has not ended: clocks and observers are of one
  bool is_finalized = false;
};

Process& process() {
  static Process one;
  return one;
}

comm::Communicator make_communicator(std::uintptr_t mpi_comm) {
  auto& here = process();
  if (here.is_finalized) throw core::Failure("nfold was finalized, which the end of Python does");
  if (!comm::is_launched() && !comm::mpi_is_running()) return {};
  if (!here.mpi) {
    static int argc = 0;
    static char** argv = nullptr;
    storage::ignore_file_size_signal();
    here.mpi.emplace(argc, argv);
  }
  if (mpi_comm == 0) return comm::Communicator::world();
  return comm::Communicator::from_mpi(reinterpret_cast<const void*>(mpi_comm));
}

template <class Array, class Value>
Array to_numpy(std::vector<Value> values, std::initializer_list<std::size_t> shape) {
  auto kept = std::make_unique<std::vector<Value>>(std::move(values));
  void* const data = kept->data();
  const nb::capsule owner(kept.release(),
                          [](void* all) noexcept { delete static_cast<std::vector<Value>*>(all); });
  return Array(data, shape, owner);
}

Rows to_rows(Triples values) {
  const std::size_t count = values.size();
  return to_numpy<Rows>(std::move(values), {count, 3});
}

}  // namespace

Simulation::Simulation(const std::string& text, const std::filesystem::path& file,
                       const std::vector<std::string>& overrides, const std::string& output,
                       const std::string& resume, bool overwrite, int threads, bool quiet,
                       std::uintptr_t mpi_comm)
    : communicator_(make_communicator(mpi_comm)) {
  if (process().has_simulation) {
    throw core::Failure(
        "nfold.Simulation: another one of this process has not ended; close() it, or use 'with'");
  }
  options_.input = file;
  options_.input_text = text;
  options_.overrides = overrides;
  options_.output = output;
  options_.resume = resume;
  options_.overwrite = overwrite;
  options_.threads = threads;
  options_.quiet = quiet;
  options_.records_history = false;  // the clocks of a job count what Python does, too
  record_.paths = status::output_paths(file, output);
  process().has_simulation = true;
  compute([this] {
    job::require_one_backend(communicator_, "nfold.Simulation");
    simulation_.emplace(communicator_, options_, process().compute, record_);
    simulation_->begin();
  });
}

Simulation::~Simulation() {
  if (!has_ended_) finish();
}

void Simulation::finish() {
  simulation_.reset();
  has_ended_ = true;
  process().has_simulation = false;
}

void Simulation::compute(const std::function<void()>& work) {
  const nb::gil_scoped_release others_go_on;
  std::optional<comm::StallHandler> when_ranks_stall;
  if (communicator_.size() > 1) {
    when_ranks_stall.emplace(
        [this](const comm::StallReport& stall) { run::write_stall(record_, stall); });
  }
  try {
    work();
  } catch (const std::exception& caught) {
    const core::Failure failure = job::to_failure(caught);
    const auto write = [this](const core::Failure& last) { run::write_failure(record_, last); };
    if (communicator_.size() > 1 && !failure.is_collective()) {
      // Ends all ranks, since the others are waiting.
      (void)job::run_collectively(
          communicator_, [&]() -> core::ExitCode { throw failure; }, write);
    }
    finish();
    if (communicator_.is_root()) write(failure);
    throw core::Failure(failure);
  }
}

std::string Simulation::advance_until(std::int64_t step) {
  std::string stop_reason;
  const core::ScopedStopSignals signals;
  compute([&] { stop_reason = simulation_->advance_until(step); });
  return stop_reason;
}

void Simulation::end(const std::string& stop_reason) {
  compute([&] { (void)simulation_->end(stop_reason); });
  record_.log.close_display();
  finish();
}

void Simulation::write_checkpoint(const std::filesystem::path& path) {
  compute([&] { simulation_->write_checkpoint(path.empty() ? record_.paths.checkpoint() : path); });
}

engine::Engine& Simulation::engine() {
  auto* const own = simulation_->engine();
  if (own == nullptr) {
    core::refuse("nfold.Simulation",
                 "an ensemble has the state of many replicas, not of one system",
                 "nfold.open(FOLDER) reads what it writes");
  }
  return *own;
}

system::State Simulation::state() {
  system::State all;
  auto& own = engine();
  compute([&] { all = own.shared_state(); });
  return all;
}

Rows Simulation::positions() {
  const auto all = state();
  const auto& box = simulation_->topology().box;
  Triples nm;
  nm.reserve(all.position.size());
  for (const auto& counts : all.position) nm.push_back(system::position_nm(box, counts));
  return to_rows(std::move(nm));
}

Rows Simulation::velocities() { return to_rows(state().velocity); }

Rows Simulation::forces() {
  auto& own = engine();
  Triples all(static_cast<std::size_t>(simulation_->topology().residue_count()));
  compute([&] {
    const auto mine = own.owned_forces();
    const auto ids = communicator_.all_gather(std::span<const int>(own.owned_state().id));
    const auto forces = communicator_.all_gather(std::span<const std::array<double, 3>>(mine));
    for (std::size_t row = 0; row < ids.size(); ++row) {
      all[static_cast<std::size_t>(ids[row])] = forces[row];
    }
  });
  return to_rows(std::move(all));
}

nb::dict Simulation::report() {
  auto& own = engine();
  const auto& topology = simulation_->topology();
  std::vector<double> values;
  compute([&] {
    const auto report = setup::make_report(own, topology, time_step_ps());
    // Rank 0 alone has all values.
    if (communicator_.is_root()) values = setup::report_values(report);
    values = communicator_.all_gather(std::span<const double>(values));
  });
  nb::dict named;
  const auto columns = setup::report_columns(topology);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    named[nb::str(columns[k].csv_name.c_str())] = values.at(k);
  }
  return named;
}

Column Simulation::masses() const {
  std::vector<double> amu;
  for (const auto& residue : simulation_->topology().residues) amu.push_back(residue.mass_amu);
  const std::size_t count = amu.size();
  return to_numpy<Column>(std::move(amu), {count});
}

nb::list Simulation::chains() const {
  nb::list all;
  for (const auto& chain : simulation_->topology().chains) {
    all.append(nb::make_tuple(chain.name, chain.count));
  }
  return all;
}

nb::tuple Simulation::box_nm() const {
  const auto& length = simulation_->topology().box.length_nm;
  return nb::make_tuple(length[0], length[1], length[2]);
}

bool is_launched() { return comm::is_launched(); }

void abort_job() {
  if (process().mpi) comm::Communicator::world().abort(static_cast<int>(core::ExitCode::failed));
}

void finalize() {
  auto& here = process();
  here.is_finalized = true;
  here.compute.reset();
  here.mpi.reset();
}

}  // namespace nfold::python
