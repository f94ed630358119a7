#include "validation/gradcheck/sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace assay::validation {
namespace {

/// The share of the sum that is missing in a slice, and how far the slice's bounds let it be off.
struct Missing {
  double share = 0, tolerance = 0;
  bool wrong = false;  ///< the slice has a wrong element
};

class SumSearch {
 public:
  SumSearch(const GradientArray& gradient, const NamedSum& sum)
      : g_(gradient), sum_(sum), width_(static_cast<std::size_t>(gradient.extents.back())) {}

  std::vector<Pattern> run() {
    for (std::size_t slice = 0; slice < sum_.shares.size(); ++slice) {
      const auto missing = missing_in(slice);
      if (!missing) return {};
      missing_.push_back(*missing);
    }
    if (evidence_ < 3) return {};
    const std::string head = fmt::format("{}: {} lacks ", g_.name, sum_.name);
    const std::string tail =
        fmt::format(": in each slice got - expected is one multiple of the part that is divided by it");
    if (const auto last = fitting([](const auto& shares, std::size_t first) {
          return std::accumulate(shares.begin() + static_cast<std::ptrdiff_t>(first), shares.end(), 0.0);
        }))
      return {{g_.name + ": sum lacks its end", head + last_summands(*last) + tail}};
    if (const auto one = fitting([](const auto& shares, std::size_t at) { return shares[at]; }))
      return {{g_.name + ": sum lacks one", head + fmt::format("a summand, {} {}", sum_.noun, *one) + tail}};
    return {{g_.name + ": sum", head + "summands, or has some twice" + tail}};
  }

 private:
  std::size_t summands() const {
    std::size_t most = 0;
    for (const auto& shares : sum_.shares) most = std::max(most, shares.size());
    return most;
  }

  std::string last_summands(std::size_t first) const {
    const std::size_t last = summands() - 1;
    return first == last ? fmt::format("its last summand, {} {}", sum_.noun, last)
                         : fmt::format("its last summands, {} {} to {}", sum_.noun, first, last);
  }

  /// Summands that are missing may be missing in the gradient too: got is what is due without the part.
  bool is_left_out(std::size_t i) const {
    return std::abs(sum_.part[i]) > 8 * uncertainty(i) && std::abs(error(i) + sum_.part[i]) <= 2 * uncertainty(i);
  }
  bool is_usable(std::size_t i) const {
    return std::isfinite(g_.got[i]) && std::isfinite(g_.expected[i]) && !is_left_out(i);
  }
  double error(std::size_t i) const { return g_.got[i] - g_.expected[i]; }
  double uncertainty(std::size_t i) const { return g_.bound[i] + 0x1p-50 * std::abs(g_.expected[i]); }

  /// The element that determines the multiple best, a wrong one if there is any; size() if no element does.
  std::size_t most_informative(std::size_t slice) const {
    std::size_t best = g_.size();
    double best_rank = 0;
    for (std::size_t i = slice * width_; i < (slice + 1) * width_; ++i) {
      const double rank = std::abs(sum_.part[i]) / (uncertainty(i) + 0x1p-1000);
      if (!is_usable(i) || !(rank > best_rank)) continue;
      best = i;
      best_rank = rank;
    }
    return best;
  }

  /// Nothing if the errors of the slice are no multiple of the part. Counts the elements that confirm it.
  std::optional<Missing> missing_in(std::size_t slice) {
    const std::size_t best = most_informative(slice);
    const double part = best < g_.size() ? sum_.part[best] : 1;
    const double multiple = best < g_.size() ? error(best) / part : 0;
    const double slack = best < g_.size() ? uncertainty(best) * (1 + std::abs(multiple)) / std::abs(part) : 0;
    Missing missing{multiple / (1 + multiple), 4 * slack + 1e-6 * std::abs(multiple), false};
    for (std::size_t i = slice * width_; i < (slice + 1) * width_; ++i) {
      if (!g_.wrong[i] || !is_usable(i)) continue;
      const double due = std::abs(multiple * sum_.part[i]);
      const double allowed =
          2 * uncertainty(i) * (1 + std::abs(multiple)) + 2 * slack * std::abs(sum_.part[i]) + due / 1024;
      if (!(std::abs(error(i) - multiple * sum_.part[i]) <= allowed)) return std::nullopt;
      if (!(multiple >= -0.5)) return std::nullopt;  // smaller than with all summands taken twice
      missing.wrong = true;
      evidence_ += due > 4 * allowed ? 1U : 0U;
    }
    return missing;
  }

  /// The largest index for which share_of(shares, index) is what is missing in all slices, if that tells indices apart.
  template <class ShareOf>
  std::optional<std::size_t> fitting(const ShareOf& share_of) const {
    for (std::size_t index = summands(); index-- > 0;) {
      bool fits = true;
      for (std::size_t slice = 0; fits && slice < missing_.size(); ++slice) {
        const auto& [share, tolerance, wrong] = missing_[slice];
        if (wrong && !sum_.shares[slice].empty())
          fits = std::abs(share_of(sum_.shares[slice], index) - share) <= tolerance + 1e-12;
      }
      if (fits) return index;
    }
    return std::nullopt;
  }

  const GradientArray& g_;
  const NamedSum& sum_;
  std::size_t width_;
  std::vector<Missing> missing_;
  std::size_t evidence_ = 0;
};

}  // namespace

std::vector<Pattern> missing_summands(const GradientArray& gradient, const NamedSum& sum) {
  return SumSearch(gradient, sum).run();
}

}  // namespace assay::validation
