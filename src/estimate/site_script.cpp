// Templates of the stages, filled and joined.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/site_script.hpp"

#include <fmt/format.h>

namespace nfold::estimate {
namespace {

std::string fill(const char* stage, const TemplateValues& values) {
  return fill_lines(builtin_job_template(stage), values);
}

/// Returns the folder of the job on the other machine; empty if files move by hand.
std::string job_folder(const RemoteJob& there) {
  const auto& link = there.link;
  if (link.folder.empty()) return link.host.empty() ? std::string() : there.name;
  return link.folder + "/" + there.name;
}

std::string format_there(const SiteScript& script) {
  const auto& there = *script.there;
  std::string files;
  for (const auto& file : there.files) files += (files.empty() ? "" : " ") + quote_bash(file);
  const auto submit = submit_command(there.scheduler, there_script_name);
  return fill("site_there", {{"machine", quote_bash(there.machine)},
                             {"host", quote_bash(there.link.host)},
                             {"folder", quote_bash(job_folder(there))},
                             {"files", files},
                             {"submit", submit},
                             {"submit_word", quote_bash(submit)}});
}

}  // namespace

std::string format_text(const SiteScript& script) {
  auto text = fill("site_begin", {{"name", quote_bash(script.name)},
                                  {"steps", std::to_string(script.steps)},
                                  {"results", quote_bash(script.results)},
                                  {"output", quote_bash(script.output)}});
  if (script.goes_on) text += fill("site_stopped", {});
  if (script.makes_first_state) text += fill("site_first_state", {});
  if (script.there) {
    text += format_there(script);
  } else {
    text += fill("site_run", {{"ranks", std::to_string(script.ranks_here)}});
  }
  return text + fill("site_report", {});
}

}  // namespace nfold::estimate
