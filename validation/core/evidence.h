// What a verdict rests on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>

namespace assay::validation {

struct Evidence {
  std::int64_t certified = 0;  ///< truths that balls prove
  std::int64_t compared = 0;   ///< truths that are equal at two precisions
  /// The largest error as a share of the bound that the kernel would have without the roundings and the road that it
  /// declares, by "output" and "gradient"; empty where it declares none.
  std::map<std::string, double> undeclared = {};
  std::int64_t codes = 0;  ///< elements rounded to small formats that were compared
  std::int64_t tied = 0;   ///< of these, those near a tie, of which more than one is right

  std::int64_t weighed = 0;          ///< results of which it is known how many of their digits mean something
  std::int64_t ill_conditioned = 0;  ///< of these, those of which fewer than three do
  double condition = 0;              ///< the largest condition number among them that is finite

  /// Counts a result that errors of one `roundoff` may change by `change`. A type of few digits may lose one of them.
  void weigh(double value, double change, double roundoff) {
    ++weighed;
    if (change <= std::max(1e-3, 10 * roundoff) * std::abs(value)) return;
    ++ill_conditioned;
    const double number = change / (roundoff * std::abs(value));
    if (std::isfinite(number)) condition = std::max(condition, number);
  }

  void merge(const Evidence& other) {
    certified += other.certified;
    compared += other.compared;
    codes += other.codes;
    tied += other.tied;
    weighed += other.weighed;
    ill_conditioned += other.ill_conditioned;
    condition = std::max(condition, other.condition);
    for (const auto& [result, share] : other.undeclared) {
      double& worst = undeclared[result];
      worst = std::max(worst, share);
    }
  }

  bool operator==(const Evidence&) const = default;
};

}  // namespace assay::validation
