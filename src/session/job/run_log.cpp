// Log file with spdlog; messages through the progress display.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/job/run_log.hpp"

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <utility>

#include "comm/rank_record.hpp"
#include "core/refusal.hpp"
#include "core/storage/posix_file.hpp"

namespace nfold::job {
namespace {

/// Throws storage::FileError if the disk is full; other reasons are wrong input.
void require_disk_space(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor >= 0) {
    ::close(descriptor);
  } else if (errno == ENOSPC || errno == EDQUOT) {
    throw storage::make_file_error(file, "create", errno);
  }
}

}  // namespace

RunLog::RunLog(const std::filesystem::path& file, bool quiet, bool verbose) : verbose_(verbose) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
    file_ = std::make_shared<spdlog::logger>("nfold", std::move(sink));
  } catch (const spdlog::spdlog_ex& failure) {
    require_disk_space(file);
    core::refuse(file.string(), std::string("cannot be opened as the log file: ") + failure.what(),
                 "choose another by --log-file");
  }
  file_->set_pattern("%Y-%m-%d %H:%M:%S %l: %v");
  file_->flush_on(spdlog::level::info);
  // A full disk must not flood standard error: the writers of the other files report it.
  file_->set_error_handler([](const std::string&) {});
  display_ = std::make_unique<telemetry::ProgressDisplay>(
      std::cout, telemetry::progress_style(quiet), telemetry::steady_seconds(),
      [file = file_](const std::string& line) { file->info(line); });
}

void RunLog::note(const std::string& text) {
  if (file_) comm::set_record_message(text);
  if (file_) file_->info(text);
  if (display_) display_->message(text);
}

void RunLog::warning(const std::string& text) {
  if (!file_) return;  // another rank prints
  file_->warn(text);
  std::cerr << "nfold: WARNING: " + text + "\n" << std::flush;
}

void RunLog::detail(const std::string& text) {
  if (file_) comm::set_record_message(text);
  if (file_) file_->info(text);
  if (display_ && verbose_) display_->message(text);
}

void RunLog::entry(const std::string& text) const {
  if (file_) file_->info(text);
}

void RunLog::error(const std::string& text) {
  if (file_) file_->error(text);
}

void RunLog::flush() {
  if (file_) file_->flush();
}

}  // namespace nfold::job
