// nfold help: prints what the table of keys says.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "input_files/reference.hpp"
#include "job/failure.hpp"

namespace nfold::cli {

namespace {
struct HelpOptions {
  std::string topic;
  bool reference = false;
};
}  // namespace

void add_help(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<HelpOptions>();
  CLI::App* help = app.add_subcommand("help", "Explains the keys of the input file");
  help->add_option(
      "TOPIC", options->topic,
      "A key, a section or a word that keys' names hold, such as temperature; a command; "
      "batch: the list of targets");
  help->add_flag("--reference", options->reference, "The whole input reference, in Markdown");
  help->callback([options, &app, &invocation] {
    std::string text;
    const auto commands =
        app.get_subcommands([&](const CLI::App* one) { return one->get_name() == options->topic; });
    if (options->reference) {
      text = input_files::reference_markdown();
    } else if (options->topic.empty()) {
      text = input_files::help_overview();
    } else if (!commands.empty() && options->topic != "batch") {
      text = commands.front()->help(app.get_name());
    } else {
      text = input_files::help_topic(options->topic);
    }
    if (job::speaks_before_mpi()) std::cout << text << std::flush;
    invocation.exit_code = job::ExitCode::done;
  });
}

}  // namespace nfold::cli
