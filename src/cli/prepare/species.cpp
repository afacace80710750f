// Parser of "[NAME=]FILE[:RECORD]" and of values for one species or for all.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/prepare/species.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/document/scalars.hpp"
#include "core/refusal.hpp"
#include "core/storage/atomic_file.hpp"
#include "input/named_files.hpp"
#include "model/structure/fasta.hpp"
#include "model/structure/structure.hpp"
#include "session/job/host_memory.hpp"

namespace nfold::prepare {
namespace {

namespace fs = std::filesystem;

/// One argument of the command line.
struct Source {
  std::string name;  ///< given name, or empty
  fs::path file;
  std::string record;
  bool is_fasta = false;
};

bool is_file(const fs::path& path) {
  std::error_code code;
  return fs::exists(path, code) && !fs::is_directory(path, code);
}

/// Returns the file name without folder, .gz and extension.
fs::path bare_name(const fs::path& file) {
  fs::path name = file.filename();
  if (name.extension() == ".gz") name = name.stem();
  return name;
}

Source parse_source(const std::string& argument) {
  Source source;
  std::string rest = argument;
  if (const auto equals = rest.find('='); equals != std::string::npos && !is_file(rest)) {
    source.name = rest.substr(0, equals);
    rest = rest.substr(equals + 1);
  }
  if (const auto colon = rest.rfind(':'); colon != std::string::npos && !is_file(rest)) {
    source.record = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
  }
  source.file = rest;
  if (std::error_code code; fs::status(source.file, code).type() == fs::file_type::none) {
    core::refuse(rest, "cannot be opened: " + code.message(),
                 "check the path; a link must not lead back to itself");
  }
  if (fs::is_directory(source.file)) core::refuse(rest, "is a folder", "name the file in it");
  if (!is_file(source.file)) {
    core::refuse(rest, "there is no such file",
                 "give a FASTA, PDB or mmCIF file, as FILE, NAME=FILE or FILE.fasta:RECORD");
  }
  source.is_fasta = structure::is_fasta_file(source.file);
  if (!source.record.empty() && !source.is_fasta) {
    core::refuse(argument, "a record of a file that is no FASTA file",
                 "chains of a structure are chosen with --chains");
  }
  return source;
}

std::string source_name(const Source& source) {
  if (!source.name.empty()) return source.name;
  return input::to_name(source.record.empty() ? bare_name(source.file).stem().string()
                                              : source.record);
}

/// Values of one option: "VALUE" for all species, "NAME=VALUE" for one, for which it overrides
/// "VALUE".
class SpeciesValues {
 public:
  /// has_equals: a value may contain '=', so only the name of a species stands for one.
  SpeciesValues(std::string option, const std::vector<std::string>& values,
                const std::vector<std::string>& names, bool has_equals = false)
      : option_(std::move(option)) {
    for (const auto& value : values) {
      const auto equals = value.find('=');
      const std::string name = equals == std::string::npos ? "" : value.substr(0, equals);
      const bool is_name = std::find(names.begin(), names.end(), name) != names.end();
      if (!name.empty() && !is_name && !has_equals) {
        core::refuse(option_, fmt::format("'{}' is for no species", value),
                     fmt::format("the species are {}", fmt::join(names, ", ")));
      }
      values_.emplace_back(is_name ? name : "", is_name ? value.substr(equals + 1) : value);
    }
  }
  [[nodiscard]] std::vector<std::string> of(const std::string& name) const {
    const auto own = with_name(name);
    return own.empty() ? with_name("") : own;
  }
  /// Returns the value as a positive number. Throws if there are several.
  [[nodiscard]] std::optional<double> number_of(const std::string& name) const {
    const auto values = of(name);
    if (values.empty()) return {};
    const auto number = document::to_real(values.back());
    if (!number || !(*number > 0)) {
      core::refuse(option_, fmt::format("'{}' for species {}", values.back(), name),
                   "it takes a number above 0");
    }
    return number;
  }

 private:
  [[nodiscard]] std::vector<std::string> with_name(const std::string& name) const {
    std::vector<std::string> found;
    for (const auto& [whose, value] : values_) {
      if (whose == name) found.push_back(value);
    }
    return found;
  }

  std::string option_;
  std::vector<std::pair<std::string, std::string>> values_;
};

/// Returns the values with a name; the others set the box.
std::vector<std::string> named(const std::vector<std::string>& values) {
  std::vector<std::string> found;
  std::copy_if(values.begin(), values.end(), std::back_inserter(found),
               [](const std::string& value) { return value.find('=') != std::string::npos; });
  return found;
}

/// Returns the record's name, so that the input file contains it even if there is only one record.
std::string find_record_name(const Source& source) {
  const auto records = job::with_host_memory("reading " + source.file.string(), [&] {
    return structure::parse_fasta(structure::read_structure_bytes(source.file),
                                  source.file.string(), structure::Alphabet::any);
  });
  if (source.record.empty() && records.size() > 1) {
    core::refuse(source.file.string(),
                 fmt::format("{} records, and none is chosen", records.size()),
                 fmt::format("give {}:RECORD, once for each that you want, of {}",
                             source.file.string(), structure::list_record_names(records)));
  }
  return structure::find_record(records, source.record, source.file.string()).name;
}

}  // namespace

std::string path_for_input(const fs::path& output, const fs::path& file) {
  if (file.is_absolute()) return file.string();
  // Keeps file names as given, unless the path from the folder passes through a link.
  const fs::path folder = fs::absolute(storage::parent_folder(output)).lexically_normal() / "";
  if (fs::weakly_canonical(folder) / "" != folder) return fs::proximate(file, folder).string();
  return fs::absolute(file).lexically_normal().lexically_proximate(folder).string();
}

std::string first_name(const PrepareOptions& options) {
  return options.inputs.empty() ? "" : source_name(parse_source(options.inputs.front()));
}

std::vector<fs::path> files_of(const PrepareOptions& options) {
  std::vector<fs::path> files;
  files.reserve(options.inputs.size());
  for (const auto& argument : options.inputs) files.push_back(parse_source(argument).file);
  return files;
}

std::vector<input::SpeciesSettings> read_species(const PrepareOptions& options,
                                                 const fs::path& output) {
  std::vector<input::SpeciesSettings> all;
  std::vector<std::string> names;
  for (const auto& argument : options.inputs) {
    const Source source = parse_source(argument);
    input::SpeciesSettings species;
    species.name = source_name(source);
    if (source.is_fasta) {
      species.fasta = path_for_input(output, source.file);
      species.record = find_record_name(source);
    } else {
      species.structure = path_for_input(output, source.file);
      species.model = options.nmr_model;
    }
    names.push_back(species.name);
    all.push_back(std::move(species));
  }
  const SpeciesValues chains("--chains", options.chains, names);
  const SpeciesValues domains("--domains", options.domains, names);
  const SpeciesValues kinds("--kind", options.kinds, names);
  const SpeciesValues mutations("--mutate", options.mutations, names, true);
  const SpeciesValues copies("--copies", options.copies, names);
  const SpeciesValues densities("--concentration", named(options.concentrations), names);
  const SpeciesValues molarities("--millimolar", options.molarities, names);
  for (auto& species : all) {
    if (!species.structure.empty()) species.chains = chains.of(species.name);
    species.domains = domains.of(species.name);
    if (const auto kind = kinds.of(species.name); !kind.empty()) species.kind = kind.back();
    species.mutations = mutations.of(species.name);
    species.concentration_mg_per_ml = densities.number_of(species.name).value_or(0);
    species.concentration_millimolar = molarities.number_of(species.name).value_or(0);
    const bool by_concentration =
        species.concentration_mg_per_ml > 0 || species.concentration_millimolar > 0;
    const double count = copies.number_of(species.name).value_or(by_concentration ? 0 : 1);
    if (count != static_cast<double>(static_cast<int>(count))) {
      core::refuse("--copies", fmt::format("{} for species {}", count, species.name),
                   "it takes a whole number");
    }
    species.copies = static_cast<int>(count);
  }
  return all;
}

}  // namespace nfold::prepare
