// Python extension nfold._core: keys and texts of inputs, and simulations in the process of Python.
// SPDX-License-Identifier: BSD-3-Clause

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/failure.hpp"
#include "core/status/output_paths.hpp"
#include "core/version.hpp"
#include "input/input.hpp"
#include "input/keys.hpp"
#include "input/reference.hpp"
#include "python/simulation.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace nfold::python {
namespace {

/// Exception types of the module; the interpreter keeps them alive.
struct ErrorTypes {
  PyObject *error, *input_error, *explosion_error;
};

PyObject* make_error_type(nb::module_& module, const char* name, const char* help, PyObject* base) {
  const auto full = nb::cast<std::string>(module.attr("__name__")) + "." + name;
  PyObject* const type = PyErr_NewExceptionWithDoc(full.c_str(), help, base, nullptr);
  module.attr(name) = nb::handle(type);
  return type;
}

void add_errors(nb::module_& module) {
  static ErrorTypes types{};
  types.error = make_error_type(module, "Error", "Failure of nfold; its text is the command's.",
                                PyExc_RuntimeError);
  types.input_error = make_error_type(
      module, "InputError",
      "Input or folder that cannot be used; a line for each problem: place, value, remedy.",
      types.error);
  types.explosion_error = make_error_type(
      module, "ExplosionError",
      "Simulation that diverged; the last good state is in NAME.explosion.h5.", types.error);
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* payload) {
        const auto& known = *static_cast<const ErrorTypes*>(payload);
        try {
          std::rethrow_exception(thrown);
        } catch (const core::Failure& failure) {
          PyObject* type = known.error;
          if (failure.exit_code() == core::ExitCode::wrong_input) type = known.input_error;
          if (failure.outcome() == core::Outcome::explosion) type = known.explosion_error;
          PyErr_SetString(type, failure.what());
        }
      },
      &types);
}

template <class Owner>
nb::tuple describe_key(const document::KeyOf<Owner>& key, const std::string& name) {
  return nb::make_tuple(name, accepted_text(key), input::default_text(key), std::string(key.help),
                        key.on_resume == document::OnResume::allow);
}

nb::list describe_keys() {
  nb::list keys;
  for (const auto& key : input::all_keys()) keys.append(describe_key(key, std::string(key.name)));
  for (const auto& key : input::species_keys()) {
    keys.append(describe_key(key, "system.species[]." + std::string(key.name)));
  }
  return keys;
}

void add_inputs(nb::module_& module) {
  module.def("read_input_text", &input::read_input_text, "file"_a,
             "Text of an input file. Raises InputError.");
  module.def(
      "resolve",
      [](const std::string& text, const std::string& file,
         const std::vector<std::string>& overrides) {
        return input::write_input(input::parse_input(text, file, overrides));
      },
      "text"_a, "file"_a, "overrides"_a,
      "YAML of an input with every default. Raises InputError with all problems.");
  module.def("describe_keys", &describe_keys,
             "All keys: (name, accepted values, default, help, whether a resume may change it).");
  module.def(
      "find_key",
      [](const std::string& name) {
        return input::find_key(name) != nullptr || input::find_section(name) != nullptr;
      },
      "name"_a, "True for the full name of a key or section.");
  module.def(
      "help_topic", [](const std::string& topic) { return input::help_topic(topic); }, "topic"_a,
      "Help on a key, a section or a word, as 'nfold help' prints it. Raises InputError.");
  module.def(
      "output_folder",
      [](const std::filesystem::path& file, const std::string& output) {
        return status::output_paths(file, output).folder;
      },
      "file"_a, "output"_a, "Folder that a run of an input file writes.");
}

void add_simulation(nb::module_& module) {
  using nb::arg;
  nb::class_<Simulation>(module, "Simulation",
                         "Simulation in stages: begin(), advance_until(), end(). Collective.")
      .def(nb::init<const std::string&, const std::filesystem::path&,
                    const std::vector<std::string>&, const std::string&, const std::string&, bool,
                    int, bool, std::uintptr_t>(),
           arg("text"), arg("file"), arg("overrides"), arg("output"), arg("resume"),
           arg("overwrite"), arg("threads"), arg("quiet"), arg("mpi_comm"),
           "mpi_comm: address of an MPI_Comm; 0: all ranks of the job, or this process alone.")
      .def("advance_until", &Simulation::advance_until, arg("step"),
           "Reason to stop before `step`; empty if it or the goal of an ensemble is reached.")
      .def("end", &Simulation::end, arg("stop_reason"), "Completes all files.")
      .def("write_checkpoint", &Simulation::write_checkpoint, arg("path"),
           "Writes a checkpoint; an empty path: that of the run.")
      .def("positions", &Simulation::positions, "(residues, 3) [nm], unwrapped.")
      .def("velocities", &Simulation::velocities, "(residues, 3) [nm/ps].")
      .def("forces", &Simulation::forces, "(residues, 3) [kJ/mol/nm].")
      .def("report", &Simulation::report, "Columns of NAME.energies.csv and their values.")
      .def("masses", &Simulation::masses, "(residues) [amu].")
      .def("chains", &Simulation::chains, "Name and number of residues of each chain.")
      .def_prop_ro("step", &Simulation::step)
      .def_prop_ro("last_step", &Simulation::last_step)
      .def_prop_ro("time_step_ps", &Simulation::time_step_ps)
      .def_prop_ro("box_nm", &Simulation::box_nm)
      .def_prop_ro("folder", &Simulation::folder)
      .def_prop_ro("rank", &Simulation::rank)
      .def_prop_ro("ranks", &Simulation::ranks);
  module.def("is_launched", &is_launched,
             "True if mpirun, srun or another PMI started this process.");
  module.def("abort", &abort_job, "Ends all ranks of the job with exit code 3.");
  module.def("finalize", &finalize, "Ends Kokkos and MPI, after the last simulation.");
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "C++ part of nfold; see the package nfold.";
  module.attr("version") = core::version;
  add_errors(module);
  add_inputs(module);
  add_simulation(module);
}

}  // namespace nfold::python
