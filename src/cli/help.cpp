// nfold help: keys and sections, commands, topics and guides.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/guides.hpp"
#include "cli/help_models.hpp"
#include "cli/help_topics.hpp"
#include "core/text_table.hpp"
#include "input/reference.hpp"
#include "session/job/failure.hpp"

namespace nfold::cli {

namespace {
struct HelpOptions {
  std::vector<std::string> words;
  bool reference = false;
};

std::string overview() {
  core::TextTable table;
  for (const auto& guide : guides())
    table.add({std::string(guide.name), std::string(guide.title())});
  return input::help_overview() + "Guides, to be read by nfold help NAME.md:\n" + table.text();
}

/// True if the topic is a guide's name as it is written: DEVICES, DEVICES.md or devices.md.
/// "devices" is a section.
bool is_guide_name(const std::string& topic) {
  const Guide* const guide = find_guide(topic);
  return guide != nullptr && (topic == guide->name || topic.ends_with(".md"));
}

/// Returns references to a command, guide or topic of the same name.
std::string see_also(const std::string& topic, bool is_command) {
  std::string text;
  if (is_command) text += fmt::format("nfold {0} is a command, too: nfold {0} --help\n", topic);
  if (const Guide* const guide = find_guide(topic)) {
    text += fmt::format("A guide: nfold help {}.md\n", guide->name);
  }
  return text;
}

std::string help_on(const CLI::App& app, const std::string& topic) {
  if (topic.empty()) return overview();
  if (topic == "models") return describe_models();
  if (const auto model = describe_model(topic); !model.empty()) return model;
  if (is_guide_name(topic)) return std::string(find_guide(topic)->text);
  const auto commands =
      app.get_subcommands([&](const CLI::App* one) { return one->get_name() == topic; });
  const auto of_name = input::help_on_name(topic);
  if (!of_name.empty()) return of_name + see_also(topic, !commands.empty());
  if (!commands.empty()) return commands.front()->help(app.get_name()) + see_also(topic, false);
  if (const auto* const known = find_topic(topic)) return describe_topic(*known);
  if (const Guide* const guide = find_guide(topic)) return std::string(guide->text);
  return input::help_topic(topic);
}
}  // namespace

void add_help(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<HelpOptions>();
  CLI::App* help =
      app.add_subcommand("help", "Explains keys of the input file, topics and commands; guides");
  help->add_option(
      "TOPIC", options->words,
      "A key, a section or a word that keys' names hold, such as temperature; a topic, such as "
      "replica exchange; a command; a guide, such as ENSEMBLES.md; batch: the list of targets; "
      "models: the force fields, or the name of one");
  help->add_flag("--reference", options->reference, "The whole input reference, in Markdown");
  help->callback([options, &app, &invocation] {
    const auto text = options->reference
                          ? input::reference_markdown()
                          : help_on(app, fmt::format("{}", fmt::join(options->words, " ")));
    if (job::is_root_before_mpi()) std::cout << text << std::flush;
    invocation.exit_code = core::ExitCode::done;
  });
}

}  // namespace nfold::cli
