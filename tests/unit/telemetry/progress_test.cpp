// Progress display: text at each width, and times of drawing.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/telemetry/progress.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

namespace nfold::telemetry {
namespace {

using testing::HasSubstr;
using testing::Not;

ProgressSample half_way() {
  ProgressSample sample;
  sample.step = 50'000;
  sample.total_steps = 100'000;
  sample.time_step_ps = 0.01;
  sample.seconds_per_step = 1e-3;
  sample.potential_kj_mol = -123.5;
  sample.temperature_kelvin = 108.2;
  sample.native_fraction = 0.8125;
  sample.memory_bytes = 1536LL << 20;
  return sample;
}

TEST(Format, FormatsDurations) {
  EXPECT_EQ(format_duration(0), "0:00:00");
  EXPECT_EQ(format_duration(59.6), "0:01:00");
  EXPECT_EQ(format_duration(3723), "1:02:03");
  EXPECT_EQ(format_duration(86400 * 2 + 3723), "2d 01:02:03");
  EXPECT_EQ(format_duration(-1), "-");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "-");
}

TEST(Format, FormatsBytesAndCounts) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1012LL << 20), "1012 MiB");
  EXPECT_EQ(format_bytes(1536LL << 20), "1.5 GiB");
  EXPECT_EQ(format_bytes(1LL << 40), "1 TiB");
  EXPECT_EQ(format_count(1), "1");
  EXPECT_EQ(format_count(12345), "12.3k");
  EXPECT_EQ(format_count(999'900), "1M");
  EXPECT_EQ(format_count(5.2e13), "52000G");
  EXPECT_EQ(format_count(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(ProgressLine, ReportsKnownValuesOnly) {
  EXPECT_EQ(progress_line(half_way()),
            "step 50000 of 100000 (50.0 %), 1k steps/s, 864 ns/day, ETA 0:00:50, Q 0.812, "
            "T 108.2 K, U -123.5 kJ/mol, memory 1.5 GiB");
  ProgressSample fresh;
  fresh.total_steps = 10;
  EXPECT_EQ(progress_line(fresh), "step 0 of 10 (0.0 %)");
  EXPECT_EQ(progress_line({}), "step 0 of 0 (100.0 %)");
}

TEST(ProgressScreen, StaysBelowTheLastColumn) {
  ProgressSample sample = half_way();
  sample.balance = 0.97;
  sample.rmsd_nm = 0.31;
  for (const std::int64_t step : {0, 1, 99'999, 100'000, 200'000}) {
    sample.step = step;
    for (int width = 12; width < 200; ++width) {
      std::istringstream screen(progress_screen(sample, width));
      int lines = 0;
      for (std::string line; std::getline(screen, line); ++lines) {
        EXPECT_LT(line.size(), static_cast<std::size_t>(width)) << line;
      }
      EXPECT_GE(lines, 1);
      EXPECT_LE(lines, 2);
    }
  }
}

TEST(ProgressScreen, HasABarIfItFits) {
  EXPECT_THAT(progress_screen(half_way(), 80), HasSubstr("[#####"));
  EXPECT_THAT(progress_screen(half_way(), 80), HasSubstr("Q 0.812"));
  EXPECT_THAT(progress_screen(half_way(), 20), Not(HasSubstr("[")));
  const std::string wide = progress_screen(half_way(), 150);
  EXPECT_EQ(std::count(wide.begin(), wide.end(), '#'), 20);
}

struct Drawn {
  double seconds = 0;
  std::ostringstream out;
  ProgressDisplay display;
  explicit Drawn(ProgressStyle style) : display(out, style, [this] { return seconds; }) {}
  /// Text written since the last call.
  std::string fresh() {
    std::string text = out.str();
    out.str("");
    return text;
  }
};

TEST(ProgressDisplay, WritesALineEveryTenSeconds) {
  Drawn drawn(ProgressStyle::lines);
  int lines = 0;
  for (int i = 0; i < 1000; ++i) {  // 100 s
    drawn.seconds += 0.1;
    drawn.display.update(half_way());
    const std::string text = drawn.fresh();
    if (text.empty()) continue;
    EXPECT_EQ(text, progress_line(half_way()) + "\n");
    ++lines;
  }
  EXPECT_GE(lines, 9);
  EXPECT_LE(lines, 10);
  drawn.display.finish(half_way());
  EXPECT_EQ(drawn.fresh(), progress_line(half_way()) + "\n");
}

TEST(ProgressDisplay, SkipsMissedLines) {
  Drawn drawn(ProgressStyle::lines);
  drawn.seconds = 1000;
  drawn.display.update(half_way());
  EXPECT_NE(drawn.fresh(), "");
  drawn.seconds += 1;
  EXPECT_FALSE(drawn.display.due());
}

TEST(ProgressDisplay, RedrawsInPlaceOnATerminal) {
  Drawn drawn(ProgressStyle::terminal);
  EXPECT_TRUE(drawn.display.due());
  drawn.display.update(half_way());
  EXPECT_THAT(drawn.fresh(), Not(HasSubstr("\x1b")));  // nothing to erase yet
  drawn.seconds += 0.01;
  drawn.display.update(half_way());
  EXPECT_EQ(drawn.fresh(), "");
  drawn.seconds += 1;
  drawn.display.update(half_way());
  // The display has two lines: move up by one, erase from there.
  EXPECT_EQ(drawn.fresh().rfind("\x1b[1A\r\x1b[J", 0), 0U);
}

TEST(ProgressDisplay, MessagesStandAboveTheDisplay) {
  Drawn drawn(ProgressStyle::terminal);
  drawn.display.message("before");
  EXPECT_EQ(drawn.fresh(), "before\n");
  drawn.display.update(half_way());
  const std::string screen = drawn.fresh();
  drawn.display.message("checkpoint written");
  EXPECT_EQ(drawn.fresh(), "\x1b[1A\r\x1b[Jcheckpoint written\n" + screen);
  drawn.display.finish(half_way());
  EXPECT_EQ(drawn.fresh().back(), '\n');
}

TEST(ProgressDisplay, QuietWritesNothing) {
  Drawn drawn(ProgressStyle::quiet);
  drawn.seconds = 1000;
  EXPECT_FALSE(drawn.display.due());
  drawn.display.update(half_way());
  drawn.display.message("x");
  drawn.display.finish(half_way());
  EXPECT_EQ(drawn.fresh(), "");
}

TEST(ProgressDisplay, LogGetsLinesEveryTenMinutes) {
  auto sample = half_way();
  sample.unit_of_work = "residues";
  for (const int rank : {0, 1}) {
    auto& device = sample.devices.emplace_back();
    device.name = fmt::format("rank {}", rank);
    device.part = 10;
    device.of = 20;
    device.memory_used_bytes = std::int64_t{rank + 1} << 20;
  }
  double seconds = 0;
  std::ostringstream out;
  std::vector<std::string> log;
  ProgressDisplay display(
      out, ProgressStyle::quiet, [&seconds] { return seconds; },
      [&log](const std::string& line) { log.push_back(line); });
  for (; seconds < 1900; seconds += 1) {
    if (display.due()) display.update(sample);
  }
  EXPECT_EQ(out.str(), "");
  ASSERT_EQ(log.size(), 9U) << "three times, a line for progress and one for each device";
  EXPECT_EQ(log[0], progress_line(half_way()));
  EXPECT_EQ(log[1], "rank 0 10/20 residues, memory 1 MiB");
  EXPECT_EQ(log[2], "rank 1 10/20 residues, memory 2 MiB");
}

TEST(ProgressDisplay, InterruptedDisplayEndsItsLine) {
  std::ostringstream out;
  {
    ProgressDisplay display(out, ProgressStyle::terminal, [] { return 0.0; });
    display.update(half_way());
  }
  EXPECT_EQ(out.str().back(), '\n');
}

}  // namespace
}  // namespace nfold::telemetry
