// Best superposition by the largest eigenvector of the quaternion key matrix.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/superposition.hpp"

#include <cmath>
#include <cstddef>

namespace nfold::analysis {
namespace {

using Matrix3 = std::array<std::array<double, 3>, 3>;
using Matrix4 = std::array<std::array<double, 4>, 4>;
using Quaternion = std::array<double, 4>;

Point mean(std::span<const Point> points) {
  Point sum{};
  for (const auto& p : points) {
    for (std::size_t k = 0; k < 3; ++k) sum[k] += p[k] - points[0][k];
  }
  for (std::size_t k = 0; k < 3; ++k) {
    sum[k] = points[0][k] + sum[k] / static_cast<double>(points.size());
  }
  return sum;
}

Matrix3 correlation(std::span<const Point> moving, const Point& moving_centre,
                    std::span<const Point> reference, const Point& reference_centre) {
  Matrix3 s{};
  for (std::size_t n = 0; n < moving.size(); ++n) {
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        s[a][b] += (moving[n][a] - moving_centre[a]) * (reference[n][b] - reference_centre[b]);
      }
    }
  }
  return s;
}

Matrix4 key_matrix(const Matrix3& s) {
  Matrix4 k{};
  k[0] = {s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]};
  k[1] = {k[0][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]};
  k[2] = {k[0][2], k[1][2], -s[0][0] + s[1][1] - s[2][2], s[1][2] + s[2][1]};
  k[3] = {k[0][3], k[1][3], k[2][3], -s[0][0] - s[1][1] + s[2][2]};
  return k;
}

// Does one Jacobi rotation: zeroes a[p][q] and applies the rotation to the columns of v.
void jacobi_rotate(Matrix4& a, Matrix4& v, std::size_t p, std::size_t q) {
  if (a[p][q] == 0) return;
  const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const double t = (theta < 0 ? -1.0 : 1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  for (std::size_t k = 0; k < 4; ++k) {
    const double kp = a[k][p], kq = a[k][q];
    a[k][p] = c * kp - s * kq;
    a[k][q] = s * kp + c * kq;
  }
  for (std::size_t k = 0; k < 4; ++k) {
    const double pk = a[p][k], qk = a[q][k];
    a[p][k] = c * pk - s * qk;
    a[q][k] = s * pk + c * qk;
    const double vp = v[k][p], vq = v[k][q];
    v[k][p] = c * vp - s * vq;
    v[k][q] = s * vp + c * vq;
  }
}

// Returns the eigenvector of the largest eigenvalue. Cyclic Jacobi converges quadratically: a 4 x 4
// matrix is diagonal to the last bit in fewer than ten sweeps. A fixed number of sweeps needs no
// tolerance.
Quaternion largest_eigenvector(Matrix4 a) {
  constexpr int sweeps = 12;
  Matrix4 v{};
  for (std::size_t k = 0; k < 4; ++k) v[k][k] = 1;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t p = 0; p < 3; ++p) {
      for (std::size_t q = p + 1; q < 4; ++q) jacobi_rotate(a, v, p, q);
    }
  }
  std::size_t best = 0;
  for (std::size_t k = 1; k < 4; ++k) {
    if (a[k][k] > a[best][best]) best = k;
  }
  return {v[0][best], v[1][best], v[2][best], v[3][best]};
}

Matrix3 rotation_of(const Quaternion& u) {
  const double length2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3];
  const double f = 2 / length2;
  const double w = u[0], x = u[1], y = u[2], z = u[3];
  return {{{1 - f * (y * y + z * z), f * (x * y - w * z), f * (x * z + w * y)},
           {f * (x * y + w * z), 1 - f * (x * x + z * z), f * (y * z - w * x)},
           {f * (x * z - w * y), f * (y * z + w * x), 1 - f * (x * x + y * y)}}};
}

}  // namespace

double superposed_rmsd(std::span<const Point> reference, std::span<const Point> moving) {
  if (moving.empty()) return 0;
  const Point to = mean(reference), from = mean(moving);
  const Matrix3 r =
      rotation_of(largest_eigenvector(key_matrix(correlation(moving, from, reference, to))));
  // The residual itself, not E0 - lambda: that difference of large numbers would leave 1e-8 nm
  // between two identical sets.
  double sum = 0;
  for (std::size_t n = 0; n < moving.size(); ++n) {
    for (std::size_t a = 0; a < 3; ++a) {
      double turned = 0;
      for (std::size_t b = 0; b < 3; ++b) turned += r[a][b] * (moving[n][b] - from[b]);
      const double apart = turned - (reference[n][a] - to[a]);
      sum += apart * apart;
    }
  }
  return std::sqrt(sum / static_cast<double>(moving.size()));
}

}  // namespace nfold::analysis
