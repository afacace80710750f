// NAME.log and what a person reads beside the progress display: one voice, that of rank 0.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "telemetry/progress.hpp"

namespace spdlog {
class logger;
}

namespace nfold::job {

/// Default-constructed: silent, as on every rank but one.
class RunLog {
 public:
  RunLog() = default;
  /// Appends to `file`. InputError if it cannot be opened; storage::FileError if the disk is full.
  RunLog(const std::filesystem::path& file, bool quiet, bool verbose);

  /// To file and display.
  void note(const std::string& text);
  /// What a user should mend: to the file, and in capitals to standard error, even when quiet.
  void warning(const std::string& text);
  /// To the file; to the display with -v only.
  void detail(const std::string& text);
  /// To the file only; any thread may call it.
  void entry(const std::string& text) const;
  /// To the file only, for what goes to standard error otherwise.
  void error(const std::string& text);
  void flush();
  /// Leaves the display standing and ends it: an error comes below, on a line of its own.
  void close_display() { display_.reset(); }
  /// Null when silent.
  [[nodiscard]] telemetry::ProgressDisplay* display() { return display_.get(); }

 private:
  std::shared_ptr<spdlog::logger> file_;
  std::unique_ptr<telemetry::ProgressDisplay> display_;
  bool verbose_ = false;
};

}  // namespace nfold::job
