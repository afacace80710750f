// What a person sees while a run goes on: a live display, or plain lines into a pipe.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/device_reading.hpp"
#include "telemetry/step_clock.hpp"

namespace nfold::telemetry {

/// A moment of a run. What is not known is left out of the display.
struct ProgressSample {
  std::int64_t step = 0, total_steps = 0;
  double time_step_ps = 0;
  double seconds_per_step = 0;  ///< StepClock's median; 0: not known yet
  std::optional<double> potential_kj_mol, temperature_kelvin, native_fraction, rmsd_nm;
  std::optional<std::int64_t> memory_bytes;  ///< of all ranks
  std::optional<double> balance;             ///< mean load / largest load of a rank, 0 to 1
  std::vector<DeviceReading> devices;        ///< of all ranks
  std::string unit_of_work;                  ///< of DeviceReading::part: "replicas"
};

enum class ProgressStyle { terminal, lines, quiet };

/// terminal if standard output is one, lines otherwise; quiet on request.
[[nodiscard]] ProgressStyle progress_style(bool quiet);

/// Columns of the terminal at standard output; 80 if it does not say.
[[nodiscard]] int terminal_width();

/// "1:02:03", "2d 03:04:05"; "-" for what is not finite or negative.
[[nodiscard]] std::string format_duration(double seconds);
/// "1.5 GiB"
[[nodiscard]] std::string format_bytes(std::int64_t bytes);
/// "12.3k", "1.02M": three digits
[[nodiscard]] std::string format_count(double value);

/// One plain line without its end: "step 1000 of 20000 (5.0 %), 12.3k steps/s, ...".
[[nodiscard]] std::string progress_line(const ProgressSample& sample);
/// That line without the devices, and one line with the words of each of them.
[[nodiscard]] std::vector<std::string> log_lines(const ProgressSample& sample);
/// The live display: one line, or two if the width asks for it, and one for each device; none wider
/// than `width`.
[[nodiscard]] std::string progress_screen(const ProgressSample& sample, int width);

/// Seconds between two entries of progress in a log.
inline constexpr double log_seconds = 600;

/// Draws samples on a stream: redraws in place on a terminal (at most 5 times a second), writes a
/// line every 10 s into anything else, nothing when quiet. A log gets progress and devices every 10
/// minutes in any style. For one rank.
class ProgressDisplay {
 public:
  using Log = std::function<void(const std::string&)>;
  ProgressDisplay(std::ostream& out, ProgressStyle style, SecondsClock now = steady_seconds(),
                  Log log = {});
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  /// True if update() would draw or log now: observables need computing only then.
  [[nodiscard]] bool due() const;
  /// Draws and logs what is due.
  void update(const ProgressSample& sample);
  /// A line above the display (a warning, a checkpoint written); not when quiet.
  void message(const std::string& text);
  /// Draws a last sample whatever the time, and leaves the display standing.
  void finish(const ProgressSample& sample);

 private:
  void erase();
  [[nodiscard]] bool is_draw_due() const;
  [[nodiscard]] bool is_log_due() const;
  void draw(const ProgressSample& sample);
  std::ostream& out_;
  ProgressStyle style_;
  SecondsClock now_;
  Log log_;
  double next_draw_, next_log_;
  int lines_drawn_ = 0;
  std::string screen_;  // what stands on the terminal now
};

}  // namespace nfold::telemetry
