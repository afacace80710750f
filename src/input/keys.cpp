// Table of input keys, joined from its parts, and the sections of the keys.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/keys.hpp"

#include <algorithm>
#include <array>

#include "input/key_makers.hpp"

namespace nfold::input {

namespace {

const std::array sections{
    Section{"system", "What is simulated."},
    Section{"force_field",
            "The model and its constants. For go they are those of SMOG 2's SBM_calpha unless "
            "given, and energies other than epsilon_kj_mol are in units of epsilon. For the other "
            "models a value of 0, or model, stands for what the model's table has."},
    Section{"force_field.contacts", "Which residues are in contact in the native structure."},
    Section{"force_field.confidence",
            "What pLDDT and PAE of predicted structures decide. A structure without them (no "
            "predicted model, or species[].confidence: none) is not affected."},
    Section{"force_field.repulsion",
            "What keeps residues apart that are neither neighbours along the chain nor in native "
            "contact: epsilon (sigma/r)^12."},
    Section{"start", "The first coordinates."},
    Section{"dynamics", "How the system moves."},
    Section{"neighbour_list", "Speed only: no key of this section changes a bit of the result."},
    Section{"bias",
            "An energy of a collective variable, which steers it; or a list of several, each with "
            "these keys."},
    Section{"output", "What is written and when. An interval of 0 switches an output off."},
    Section{"partition", "Which rank computes which residue; changes no bit of the result."},
    Section{"partition.balance",
            "When residues are shared out anew. Loads are assessed after 100 steps and after each "
            "new map, then at intervals that double, while no rank stands out, up to "
            "partition.rebalance_every_steps. A new map is taken only between two lists, and only "
            "where the gain that is foreseen pays."},
    Section{"devices",
            "Which GPUs and cores of each node compute; changes no bit of the result. `nfold "
            "devices` lists them. Without a GPU only devices.binding counts."},
    Section{"reliability",
            "How errors are found that no device reports; changes no bit of the result."},
    Section{"observables",
            "What is summed up while the run goes and written to NAME.observables.h5. A resume "
            "goes on with the same sums, so it must bring the same keys."},
    Section{"ensemble",
            "Many replicas of one system in several states, which they trade: temperatures, "
            "strengths of native contacts or umbrellas. Of an ensemble no trajectory, energies or "
            "observables are written, but samples of all replicas."},
    Section{"ensemble.analysis",
            "What is counted over all replicas at every sample after equilibration, on the device, "
            "for NAME.ensemble.h5. A resume goes on with the same counts, so it must bring the "
            "same keys. `nfold check` says what the tables take."},
};

constexpr std::array<std::string_view, 3> removed_keys{
    "partition.balance.even", "partition.balance.longest_rest", "partition.balance.smoothing"};

}  // namespace

std::span<const Key> all_keys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all;
    for (const auto& part :
         {makers::system_keys(), makers::force_field_keys(), makers::condensate_keys(),
          makers::run_keys(), makers::device_keys(), makers::bias_keys(), makers::observable_keys(),
          makers::ensemble_keys(), makers::ensemble_analysis_keys()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return keys;
}
std::span<const Section> all_sections() { return sections; }

const Key* find_key(std::string_view name) {
  const auto keys = all_keys();
  const auto found = std::ranges::find(keys, name, &Key::name);
  return found == keys.end() ? nullptr : &*found;
}

const Section* find_section(std::string_view name) {
  const auto found = std::ranges::find(sections, name, &Section::name);
  return found == sections.end() ? nullptr : &*found;
}

bool is_removed_key(std::string_view name) {
  return std::ranges::find(removed_keys, name) != removed_keys.end();
}

std::string_view section_name(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

std::string_view last_part(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

}  // namespace nfold::input
