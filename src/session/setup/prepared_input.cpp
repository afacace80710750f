// Text of a prepared input file: selected keys, each with its help as a comment.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/prepared_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "input/input.hpp"
#include "input/keys.hpp"

namespace nfold::setup {
namespace {

// Keys that a user sets first; `nfold help` describes all others.
constexpr std::array<std::string_view, 9> shown_keys{"force_field.model",
                                                     "start.from",
                                                     "dynamics.steps",
                                                     "dynamics.time_step_ps",
                                                     "dynamics.temperature_kelvin",
                                                     "dynamics.friction_per_ps",
                                                     "dynamics.seed",
                                                     "output.trajectory_every_steps",
                                                     "output.energies_every_steps"};
constexpr std::array<std::string_view, 9> shown_go_keys{"system.structure",
                                                        "system.chains",
                                                        "system.model",
                                                        "system.copies",
                                                        "force_field.mass_amu",
                                                        "force_field.contact_potential",
                                                        "force_field.contacts.map",
                                                        "force_field.contacts.cutoff_nm",
                                                        "dynamics.precision"};
constexpr std::array<std::string_view, 5> shown_condensate_keys{
    "system.species", "force_field.ionic_strength_molar", "force_field.ph", "start.minimise_steps",
    "observables.equilibration_steps"};

std::string indentation(std::string_view name) {
  return std::string(2 * static_cast<std::size_t>(std::count(name.begin(), name.end(), '.')), ' ');
}

/// Formats `text` as comment lines of at most 100 columns.
std::string comment(std::string_view text, const std::string& indent) {
  constexpr std::size_t width = 100;
  std::string lines, line = indent + "#";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (line.size() > indent.size() + 1 && line.size() + 1 + word.size() > width) {
      lines += line + "\n";
      line = indent + "#";
    }
    line += fmt::format(" {}", word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines + line + "\n";
}

template <std::size_t Count>
bool has(const std::array<std::string_view, Count>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Keys on which defaults of other keys depend.
constexpr std::array<std::string_view, 12> steering_keys{
    "system.structure",    "system.species",
    "system.box_nm",       "system.concentration_mg_per_ml",
    "force_field.model",   "force_field.table",
    "force_field.domains", "force_field.contacts.map",
    "start.from",          "start.checkpoint",
    "start.coordinates",   "dynamics.steps"};

bool differs(const input::Key& key, const input::Settings& a, const input::Settings& b) {
  return input::value_text(key, a) != input::value_text(key, b);
}

/// Returns the settings that the parser makes of the steering keys alone.
input::Settings with_defaults(const input::Settings& settings) {
  std::vector<std::string> values;
  for (const auto name : steering_keys) {
    const input::Key& key = *input::find_key(name);
    if (!differs(key, settings, {})) continue;
    values.push_back(fmt::format("{}={}", name, input::value_text(key, settings)));
  }
  return input::parse_input("", "defaults", values);
}

bool is_shown(const input::Key& key, const input::Settings& settings,
              const input::Settings& defaults) {
  const bool is_go = settings.force_field.model == input::ForceFieldModel::go;
  if (has(shown_keys, key.name)) return true;
  if (is_go && settings.system.species.empty() && has(shown_go_keys, key.name)) return true;
  if (!is_go && has(shown_condensate_keys, key.name)) return true;
  return differs(key, settings, has(steering_keys, key.name) ? input::Settings{} : defaults);
}

}  // namespace

std::string commented_input(const input::Settings& settings,
                            const std::vector<std::string>& remarks) {
  const input::Settings defaults = with_defaults(settings);
  std::string text;
  std::string_view begun;  // last top-level section that was written
  for (const std::string& remark : remarks) text += comment(remark, "");
  for (const input::Section& section : input::all_sections()) {
    std::string body;
    for (const input::Key& key : input::all_keys()) {
      if (input::section_name(key.name) != section.name || !is_shown(key, settings, defaults))
        continue;
      const std::string indent = indentation(key.name);
      body += comment(key.help, indent);
      body += fmt::format("{}{}:{}\n", indent, input::last_part(key.name),
                          input::value_block(key, settings, indent.size() + 2));
    }
    if (body.empty()) continue;
    const auto outer = input::section_name(section.name);
    if (!outer.empty() && outer != begun) text += fmt::format("\n{}:\n", outer);
    begun = outer.empty() ? section.name : outer;
    const std::string indent = indentation(section.name);
    text += fmt::format("{}{}{}:\n{}", indent.empty() ? "\n" : "", indent,
                        input::last_part(section.name), body);
  }
  return text;
}

}  // namespace nfold::setup
