// Schedule and drawing of the progress display.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/telemetry/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <system_error>
#include <utility>

namespace nfold::telemetry {

namespace {
constexpr double redraw_seconds = 0.2;
constexpr double line_seconds = 10;
// "Up one line" and "erase from here to the end of the screen" of ECMA-48, which all terminals
// support.
constexpr const char* cursor_up = "\x1b[1A";
constexpr const char* erase_below = "\r\x1b[J";

// True if standard output is a pipe although the rank has a terminal. Open MPI gives each rank a
// terminal of its own, whatever mpirun writes to: mpirun's standard output decides, if the system
// reports it.
bool is_launcher_output_pipe() {
  if (std::getenv("OMPI_COMM_WORLD_RANK") == nullptr) return false;
  std::error_code error;
  const auto target = std::filesystem::read_symlink(
      "/proc/" + std::to_string(getppid()) + "/fd/" + std::to_string(STDOUT_FILENO), error);
  const std::string name = target.string();
  return !name.starts_with("/dev/pts/") && !name.starts_with("/dev/tty");
}
}  // namespace

ProgressStyle progress_style(bool quiet) {
  if (quiet) return ProgressStyle::quiet;
  const bool terminal = isatty(STDOUT_FILENO) == 1 && !is_launcher_output_pipe();
  return terminal ? ProgressStyle::terminal : ProgressStyle::lines;
}

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

ProgressDisplay::ProgressDisplay(std::ostream& out, ProgressStyle style, SecondsClock now, Log log)
    : out_(out), style_(style), now_(std::move(now)), log_(std::move(log)) {
  // The first line to a pipe comes after the first interval; a terminal is drawn at once.
  next_draw_ = now_() + (style_ == ProgressStyle::terminal ? 0 : line_seconds);
  next_log_ = now_() + log_seconds;
}

ProgressDisplay::~ProgressDisplay() {
  if (lines_drawn_ > 0) out_ << '\n' << std::flush;  // after an error: keeps the display
}

bool ProgressDisplay::due() const { return is_draw_due() || is_log_due(); }

bool ProgressDisplay::is_draw_due() const {
  return style_ != ProgressStyle::quiet && now_() >= next_draw_;
}

bool ProgressDisplay::is_log_due() const { return log_ && now_() >= next_log_; }

void ProgressDisplay::log(const std::vector<std::string>& lines) {
  next_log_ = now_() + log_seconds;
  for (const auto& line : lines) log_(line);
}

void ProgressDisplay::message(const std::string& text) {
  if (style_ == ProgressStyle::quiet) return;
  erase();
  out_ << text << '\n';
  if (!screen_.empty()) show_screen();
  out_ << std::flush;
}

void ProgressDisplay::end_screen() {
  if (style_ == ProgressStyle::terminal) out_ << '\n' << std::flush;
  lines_drawn_ = 0;
  screen_.clear();
}

void ProgressDisplay::erase() {
  for (int line = 1; line < lines_drawn_; ++line) out_ << cursor_up;
  if (lines_drawn_ > 0) out_ << erase_below;
  lines_drawn_ = 0;
}

void ProgressDisplay::show_screen() {
  out_ << screen_;
  lines_drawn_ = 1 + static_cast<int>(std::count(screen_.begin(), screen_.end(), '\n'));
}

void ProgressDisplay::write_line(const std::string& line) {
  schedule_draw(line_seconds);
  out_ << line << '\n' << std::flush;
}

void ProgressDisplay::redraw(std::string screen) {
  schedule_draw(redraw_seconds);
  erase();
  screen_ = std::move(screen);
  show_screen();
  out_ << std::flush;
}

/// Counts from the last due time, so that lines do not drift; after a pause from now.
void ProgressDisplay::schedule_draw(double interval) {
  next_draw_ = std::max(next_draw_ + interval, now_() + interval / 2);
}

}  // namespace nfold::telemetry
