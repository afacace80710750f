// Arc tangent from sums, products and quotients, with the same bits on every machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

namespace nfold::structure {

inline constexpr double pi = 3.14159265358979323846;

/// Returns atan(t) for 0 <= t <= 1, with reduction about 1/2 and 1 and the polynomial of FDLIBM's
/// s_atan.c; error below 1e-15. libm may differ by a bit between hosts, and so would reference
/// angles.
[[nodiscard]] inline double arctangent_unit(double t) {
  constexpr std::array<double, 11> a{
      3.33333333333329318027e-01,  -1.99999999998764832476e-01, 1.42857142725034663711e-01,
      -1.11111104054623557880e-01, 9.09088713343650656196e-02,  -7.69187620504482999495e-02,
      6.66107313738753120669e-02,  -5.83357013379057348645e-02, 4.97687799461593236017e-02,
      -3.65315727442169155270e-02, 1.62858201153657823623e-02};
  constexpr double atan_half = 4.63647609000806093515e-01;
  double offset = 0, x = t;
  if (t >= 11.0 / 16) {
    offset = pi / 4;
    x = (t - 1) / (t + 1);
  } else if (t >= 7.0 / 16) {
    offset = atan_half;
    x = (2 * t - 1) / (2 + t);
  }
  const double z = x * x;
  double sum = a[10];
  for (int i = 9; i >= 0; --i) sum = a[static_cast<std::size_t>(i)] + z * sum;
  return offset + (x - x * (z * sum));
}

/// Returns the angle of the point (x, y) in (-pi, pi]; 0 for the origin. Like std::atan2 without
/// signed zeros.
[[nodiscard]] inline double arctangent2(double y, double x) {
  const double ay = std::abs(y), ax = std::abs(x);
  if (ay == 0 && ax == 0) return 0;
  double angle = ay <= ax ? arctangent_unit(ay / ax) : pi / 2 - arctangent_unit(ax / ay);
  if (x < 0) angle = pi - angle;
  return y < 0 ? -angle : angle;
}

}  // namespace nfold::structure
