// Evaluates a function around one point and estimates the error of its claimed gradient from differences: black_box.h
// has the formula.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "validation/gradcheck/black_box.h"

namespace assay::validation {

/// A measured number and how far it may be off.
struct Estimate {
  double value = 0;
  double error = std::numeric_limits<double>::infinity();
};

class Probe {
 public:
  using Function = std::function<double(std::span<const double>)>;
  using Direction = std::vector<double>;  ///< as long as x

  Probe(const Function& f, std::span<const double> x, std::span<const double> gradient, const BlackBoxOptions& options);

  double at_x() const { return at_x_; }                    ///< f(x)
  double scale(std::size_t i) const { return scale_[i]; }  ///< |x_i|, or the largest of them where x_i is 0
  bool is_constant() const { return constant_; }           ///< f had the same value wherever it was asked

  double claimed(const Direction& v) const;    ///< g . v
  double allowance(const Direction& v) const;  ///< the error along v that the tolerance on the gradient allows

  /// Keeps the largest noise of all directions, because rounding can hide the noise along one of them.
  void learn_noise(const Direction& v);

  /// (grad f - g) . v
  Estimate residual(const Direction& v);

 private:
  std::vector<double> moved(const Direction& v, double h) const;
  double value(std::span<const double> point);
  double quotient(const Direction& v, double h);
  double noise_along(const Direction& v);

  const Function& f_;
  std::span<const double> x_, gradient_;
  const BlackBoxOptions& options_;
  double at_x_;
  std::vector<double> scale_;
  int steps_ = 0;
  double noise_ = 0;
  bool constant_ = true;
  bool narrow_ = true;  ///< every value of f so far is a float32 number
};

}  // namespace assay::validation
