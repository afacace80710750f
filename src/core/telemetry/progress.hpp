// Progress of a run: a live display on a terminal, or plain lines in a pipe.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "core/telemetry/device_reading.hpp"
#include "core/telemetry/step_clock.hpp"

namespace nfold::telemetry {

/// State of a run at one moment. Unknown values are left out of the display.
struct ProgressSample {
  std::int64_t step = 0, total_steps = 0;
  double time_step_ps = 0;
  double seconds_per_step = 0;  ///< StepClock's median; 0: not known yet
  std::optional<double> potential_kj_mol, temperature_kelvin, native_fraction, rmsd_nm;
  std::optional<std::int64_t> memory_bytes;  ///< sum over all ranks
  std::optional<double> balance;             ///< mean over largest load of a rank, 0 to 1
  std::vector<DeviceReading> devices;        ///< devices of all ranks
  std::string unit_of_work;                  ///< unit of DeviceReading::part: "replicas"
};

enum class ProgressStyle { terminal, lines, quiet };

/// Returns terminal if standard output is one, else lines; quiet on request.
[[nodiscard]] ProgressStyle progress_style(bool quiet);

/// Returns the columns of the terminal at standard output; 80 if unknown.
[[nodiscard]] int terminal_width();

/// Returns "1:02:03" or "2d 03:04:05"; "-" for a value that is negative or not finite.
[[nodiscard]] std::string format_duration(double seconds);
/// Returns "1.5 GiB" and so on.
[[nodiscard]] std::string format_bytes(std::int64_t bytes);
/// Returns "12.3k" or "1.02M", with three digits.
[[nodiscard]] std::string format_count(double value);

/// Returns one line without its end: "step 1000 of 20000 (5.0 %), 12.3k steps/s, ...".
[[nodiscard]] std::string progress_line(const ProgressSample& sample);
/// Returns the progress line without devices, and one line for each device.
[[nodiscard]] std::vector<std::string> log_lines(const ProgressSample& sample);
/// Returns the live display: one line, or two if the width requires it, and one for each device;
/// none wider than `width`.
[[nodiscard]] std::string progress_screen(const ProgressSample& sample, int width);

/// Seconds between two progress entries in a log.
inline constexpr double log_seconds = 600;

/// Draws samples on a stream: redraws in place on a terminal (at most 5 times a second), writes a
/// line every 10 s to anything else, nothing if quiet. A log gets progress and devices every 10
/// minutes in any style. A sample is a ProgressSample, or of another type that has progress_line(),
/// progress_screen() and log_lines() in its namespace. Used on one rank.
class ProgressDisplay {
 public:
  using Log = std::function<void(const std::string&)>;
  ProgressDisplay(std::ostream& out, ProgressStyle style, SecondsClock now = core::seconds_now,
                  Log log = {});
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  /// True if update() would draw or log now; only then observables need computing.
  [[nodiscard]] bool due() const;
  /// Draws and logs if due.
  template <class Sample>
  void update(const Sample& sample) {
    if (is_draw_due()) draw(sample);
    if (is_log_due()) log(log_lines(sample));
  }
  /// Writes a line above the display (a warning, a checkpoint written); not if quiet.
  void message(const std::string& text);
  /// Draws a last sample at once and keeps the display.
  template <class Sample>
  void finish(const Sample& sample) {
    if (style_ == ProgressStyle::quiet) return;
    draw(sample);
    end_screen();
  }

 private:
  template <class Sample>
  void draw(const Sample& sample) {
    if (style_ == ProgressStyle::lines) {
      write_line(progress_line(sample));
    } else {
      redraw(progress_screen(sample, terminal_width()));
    }
  }
  [[nodiscard]] bool is_draw_due() const;
  [[nodiscard]] bool is_log_due() const;
  void log(const std::vector<std::string>& lines);
  void write_line(const std::string& line);
  void redraw(std::string screen);
  void erase();
  void show_screen();
  void end_screen();
  void schedule_draw(double interval);

  std::ostream& out_;
  ProgressStyle style_;
  SecondsClock now_;
  Log log_;
  double next_draw_, next_log_;
  int lines_drawn_ = 0;
  std::string screen_;  // text on the terminal now
};

}  // namespace nfold::telemetry
