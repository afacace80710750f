// File names of AlphaFold, ColabFold and Boltz, and a trial of what is found.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/prepare/predicted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "session/job/host_memory.hpp"

namespace nfold::prepare {
namespace {

namespace fs = std::filesystem;

fs::path stem_of(const fs::path& structure) {
  const fs::path name = structure.filename();
  return (name.extension() == ".gz" ? name.stem() : name).stem();
}

/// Returns `stem` with the last `from` replaced; empty if it has none.
std::string replaced(const std::string& stem, std::string_view from, std::string_view to) {
  const auto at = stem.rfind(from);
  return at == std::string::npos ? "" : std::string(stem).replace(at, from.size(), to);
}

/// Returns the file of this name or NAME.gz in the folder; empty if there is none.
fs::path find_file(const fs::path& folder, const std::string& name) {
  for (const std::string& one : {name, name + ".gz"}) {
    std::error_code error;
    if (fs::is_regular_file(folder / one, error)) return folder / one;
  }
  return {};
}

/// Sets the confidence from files. Returns why it is impossible; empty: it is set.
std::string try_files(structure::Structure& molecule, const std::vector<fs::path>& files) {
  structure::ConfidenceSources sources;
  try {
    for (const fs::path& file : files) {
      sources.files.push_back({file.string(), structure::read_structure_bytes(file)});
    }
    structure::set_confidence(molecule, sources);
  } catch (const structure::StructureError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

std::vector<std::vector<std::string>> confidence_names(const fs::path& structure) {
  const std::string stem = stem_of(structure).string();
  std::vector<std::vector<std::string>> names;
  const auto add = [&](const std::string& name, std::string_view ending) {
    if (!name.empty()) names.push_back({name + std::string(ending)});
  };
  add(replaced(stem, "-model_", "-predicted_aligned_error_"), ".json");         // AlphaFold DB
  for (const std::string_view rank : {"_unrelaxed_rank_", "_relaxed_rank_"}) {  // ColabFold
    add(replaced(stem, rank, "_scores_rank_"), ".json");
    const auto at = stem.rfind(rank);
    if (at != std::string::npos) add(stem.substr(0, at), "_predicted_aligned_error_v1.json");
  }
  for (const std::string_view kind : {"unrelaxed_", "relaxed_"}) {  // AlphaFold 2.3
    if (stem.starts_with(kind)) add("pae_" + stem.substr(kind.size()), ".json");
  }
  add(replaced(stem, "_model_", "_full_data_"), ".json");  // AlphaFold 3, server
  if (stem.ends_with("_model")) add(stem.substr(0, stem.size() - 6), "_confidences.json");
  names.push_back({"pae_" + stem + ".npz", "plddt_" + stem + ".npz"});  // Boltz
  add(stem, ".json");
  return names;
}

PredictedStructure inspect_prediction(const fs::path& file, const structure::Selection& selection) {
  PredictedStructure found;
  auto molecule = job::with_host_memory("reading " + file.string(),
                                        [&] { return structure::read_structure(file, selection); });
  found.is_predicted = molecule.file.is_predicted();
  if (!found.is_predicted) return found;
  found.residues = molecule.residue_count();
  const fs::path folder = file.parent_path();
  for (const auto& names : confidence_names(file)) {
    std::vector<fs::path> files;
    for (const std::string& name : names) {
      if (fs::path one = find_file(folder, name); !one.empty()) files.push_back(std::move(one));
    }
    if (files.empty()) continue;
    const std::string misfit = try_files(molecule, files);
    if (misfit.empty()) {
      found.files = std::move(files);
      break;
    }
    found.reasons.push_back("a file beside the structure is not taken: " + misfit);
  }
  if (found.files.empty()) structure::set_confidence(molecule, {});
  const auto& confidence = molecule.confidence;
  found.unconfident = static_cast<int>(std::ranges::count_if(
      confidence.plddt, [](double p) { return p < structure::confident_plddt; }));
  std::vector<std::string> names;
  for (const fs::path& one : found.files) names.push_back(one.filename().string());
  found.reasons.push_back(
      fmt::format("{}: a predicted model ({}), {} of {} residues with pLDDT below {:g}; {}",
                  file.filename().string(), molecule.file.prediction.predictor, found.unconfident,
                  found.residues, structure::confident_plddt,
                  !names.empty()         ? fmt::format("PAE of {}", fmt::join(names, ", "))
                  : confidence.has_pae() ? "PAE of the file itself"
                                         : "no PAE file beside it: name it by the key confidence"));
  return found;
}

}  // namespace nfold::prepare
