// What a kernel claims to do. Cases beyond the claims are skipped, and counted with the reason.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "validation/core/fields.h"
#include "validation/core/verdict.h"

namespace assay::validation {

/// A kernel was asked for what it does not claim to do; the text is the reason.
class Unsupported : public std::runtime_error {
 public:
  explicit Unsupported(const std::string& reason, SkipCause cause = SkipCause::other)
      : Unsupported("", reason, cause) {}

  /// `what` completes "the kernel does not": "do a bias".
  static Unsupported not_claimed(const std::string& what) {
    return Unsupported(std::string(kernel_does_not) + what, SkipCause::not_claimed);
  }

  /// A reason that the kernel gave when it was called: its declaration does not exclude the case.
  static Unsupported said_by_kernel(const std::string& reason) {
    return {std::string(kernel_does_not) + "do, as it answered: ", reason.empty() ? "it does not say why" : reason,
            SkipCause::declined};
  }

  /// What a kernel said, or what() where it was not called.
  const std::string& reason() const { return reason_; }
  SkipCause cause() const { return cause_; }

 private:
  Unsupported(const std::string& opening, const std::string& reason, SkipCause cause)
      : std::runtime_error(opening + reason), reason_(reason), cause_(cause) {}

  std::string reason_;
  SkipCause cause_ = SkipCause::other;
};

inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

struct Support {
  std::vector<Dtype> dtypes = {Dtype::float32};
  std::map<std::string, std::int64_t> limits = {};  ///< the largest of an extent, by name
  std::set<std::string> declined = {};              ///< keys of claims (core/fields.h)
  bool is_isolated = true;        ///< a bad argument cannot destroy the process that the kernel shares with its author
  bool takes_views = false;       ///< reads and writes arrays where they are, so that untouched pages need no memory
  bool takes_strides = false;     ///< its inputs can lie in memory in any layout (core/layouts.h)
  bool can_be_forked = false;     ///< has no threads, processes or devices before its first call: a copy can call it
  std::int64_t reach = no_limit;  ///< the largest extent of needle cases (core/reach.h); slow kernels have less

  bool does(const std::string& key) const { return !declined.contains(key); }
  bool does(Dtype dtype) const { return std::ranges::find(dtypes, dtype) != dtypes.end(); }
};

/// Throws Unsupported for a kernel whose bits may change from call to call.
inline void expect_same_bits(const Support& support) {
  if (!support.does("same_bits")) throw Unsupported::not_claimed("promise the same bits twice");
}

/// Every claim of an operation, in the order of the plug-in header's flags, and whether a case asks for it.
template <class Case>
struct AskedClaim {
  Claim claim;
  std::function<bool(const Case&)> asked;
};

template <class Fields>
const std::vector<AskedClaim<typename Fields::Case>>& claims() {
  using Case = typename Fields::Case;
  static const auto all = [] {
    std::vector<AskedClaim<Case>> found;
    for_each_row(Fields::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsArray<Row>) {
        found.push_back({row.declinable, [at = row.in_case](const Case& c) { return !(c.*at).empty(); }});
      } else if constexpr (IsOption<Row>) {
        found.push_back({row.declinable, [at = row.in_case](const Case& c) { return c.*at != Case().*at; }});
      } else if constexpr (IsChoice<Row>) {
        for (std::size_t i = 0; i < row.declinable.size(); ++i)
          found.push_back({row.declinable[i],
                           [at = row.in_case, i](const Case& c) { return static_cast<std::size_t>(c.*at) == i; }});
      } else if constexpr (IsFurther<Row>) {
        found.push_back({row.declinable, row.asked != nullptr ? row.asked : [](const Case&) { return false; }});
      }
    });
    std::erase_if(found, [](const auto& one) { return one.claim.key == nullptr; });
    std::ranges::sort(found, {}, [](const auto& one) { return one.claim.flag; });
    return found;
  }();
  return all;
}

/// The reason why a kernel with this support need not do the case; empty if the kernel must.
template <HasFields Case>
std::string why_not(const typename Case::Fields::Info& info, const Case& c) {
  const Support& support = info.support;
  std::string reason;
  const auto unless = [&](bool does, const std::string& what) {
    if (!does && reason.empty()) reason = fmt::format("{}do {}", kernel_does_not, what);
  };
  unless(support.does(c.dtype), name_of(c.dtype));
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>)
      if (const auto limit = support.limits.find(row.name); limit != support.limits.end()) {
        const std::int64_t size = row.limited != nullptr ? row.limited(c) : c.*row.in_case;
        unless(size <= limit->second, fmt::format("{} > {}", row.name, limit->second));
      }
  });
  for (const auto& [claim, asked] : claims<typename Case::Fields>())
    if (!support.does(claim.key)) unless(!asked(c), claim.words);
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && is_of_dtype<Row>)
      unless(not_of(c.dtype, c.*row.in_case) == (c.*row.in_case).end(),
             fmt::format("{} that are not of its type", row.name));
  });
  if constexpr (requires { Case::Fields::further_reason(info, c); })
    if (reason.empty()) reason = Case::Fields::further_reason(info, c);
  return reason;
}

}  // namespace assay::validation
