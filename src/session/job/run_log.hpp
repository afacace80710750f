// NAME.log and messages beside the progress display, of rank 0 only.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/telemetry/progress.hpp"

namespace spdlog {
class logger;
}

namespace nfold::job {

/// Log of a run. Default-constructed: silent, as on every rank but one.
class RunLog {
 public:
  RunLog() = default;
  /// Appends to `file`. InputError if it cannot be opened; storage::FileError if the disk is full.
  RunLog(const std::filesystem::path& file, bool quiet, bool verbose);

  /// Writes to file and display.
  void note(const std::string& text);
  /// Writes a problem for the user to fix to the file and to standard error, even when quiet.
  void warning(const std::string& text);
  /// Writes to the file, and to the display with -v.
  void detail(const std::string& text);
  /// Writes to the file only. Any thread may call it.
  void entry(const std::string& text) const;
  /// Writes an error to the file only, since it is printed on standard error elsewhere.
  void error(const std::string& text);
  void flush();
  /// Closes the display and leaves its text, so that an error follows on a line of its own.
  void close_display() { display_.reset(); }
  /// Display; null if silent.
  [[nodiscard]] telemetry::ProgressDisplay* display() { return display_.get(); }

 private:
  std::shared_ptr<spdlog::logger> file_;
  std::unique_ptr<telemetry::ProgressDisplay> display_;
  bool verbose_ = false;
};

}  // namespace nfold::job
