// What a verdict rests on.
#pragma once

#include <algorithm>
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

  void merge(const Evidence& other) {
    certified += other.certified;
    compared += other.compared;
    codes += other.codes;
    tied += other.tied;
    for (const auto& [result, share] : other.undeclared) {
      double& worst = undeclared[result];
      worst = std::max(worst, share);
    }
  }

  bool operator==(const Evidence&) const = default;
};

}  // namespace assay::validation
