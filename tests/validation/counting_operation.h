// An operation made for tests of how runs are divided: a case is a number, and properties are of numbers.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "validation/core/picture.h"
#include "validation/core/subject_of.h"

namespace assay::validation {

struct CountingCase {
  std::uint64_t value = 0;
  bool operator==(const CountingCase&) const = default;
};

struct CountingKernel {
  struct Info {
    std::string name = "counting";
    Support support = {.can_be_forked = true};
  };
  Info description = {};
  bool pictures_throw = false;

  const Info& info() const { return description; }
};

struct CountingOperation {
  using Case = CountingCase;
  struct Profile {};
  using Kernel = CountingKernel;
  struct Truth {};

  static constexpr const char* name = "counting";

  /// The cases judged since it was last emptied.
  static std::set<std::uint64_t>& seen() {
    static std::set<std::uint64_t> values;
    return values;
  }

  static Case generate(Random& random, int, const Profile&) {
    return {static_cast<std::uint64_t>(random.integer(0, 1'000'000'000))};
  }
  static constexpr std::array<NeedleExtent, 1> needle_extents = {{{"value", 'v', 64}}};
  static Case needle(std::string_view, std::int64_t size) { return {static_cast<std::uint64_t>(size)}; }
  static std::vector<NamedCase<CountingOperation>> paired_cases(Reach, std::uint64_t) { return {}; }
  static std::int64_t work_of(const Case&) { return 1; }
  static std::vector<Shrink<Case>> shrinks_of(const Case&) { return {}; }
  static std::string why_not(const Kernel&, const Case&) { return ""; }
  static void adapt(const Kernel&, Case&) {}
  static Truth truth_of(const Case&, int) { return {}; }
  static std::vector<Picture> pictures(const Kernel& kernel, const Case& c, int) {
    if (kernel.pictures_throw) throw std::runtime_error("not to be drawn");
    return {picture_of("the number", "row", "column", 1, 1, [&](auto, auto) { return double(c.value); })};
  }
  static std::span<const CaseClass<Case>> case_classes() {
    static constexpr CaseClass<Case> all[] = {{"even", [](const Case& c) { return c.value % 2 == 0; }},
                                              {"odd", [](const Case& c) { return c.value % 2 != 0; }}};
    return all;
  }
  static std::string to_text(const Case& c) { return "value=" + std::to_string(c.value); }
  static void write(const std::filesystem::path&, const Case&) {}

  static const std::vector<Property<CountingOperation>>& properties() {
    static const auto on = [](auto judge) {
      return [judge](const Context<CountingOperation>&, const Case& c) -> Finding {
        seen().insert(c.value);
        return judge(c.value);
      };
    };
    const auto half = [](std::uint64_t) { return Finding::pass({0.5, "half"}); };
    const auto seldom = [](std::uint64_t n) { return n % 401 == 7 ? Finding::fail("7") : Finding::pass(); };
    const auto often = [](std::uint64_t n) { return n % 31 == 5 ? Finding::fail("5", {NAN, "x"}) : Finding::pass(); };
    const auto skips = [](std::uint64_t n) { return n % 3 == 0 ? Finding::skip("by three") : Finding::pass(); };
    const auto doubts = [](std::uint64_t n) { return n % 100 == 3 ? Finding::mistrust("unsure") : Finding::pass(); };
    const auto any = [](std::uint64_t n) { return Finding::pass({double(n) / 1e9, "any"}); };
    static const std::vector<Property<CountingOperation>> all = {
        {"holds", "holds", {}, on(half), true},    {"fails-seldom", "fails for some", {}, on(seldom)},
        {"skips", "skips some", {}, on(skips)},    {"fails-often", "fails for more", {}, on(often)},
        {"doubts", "doubts some", {}, on(doubts)}, {"any", "any margin", {}, on(any)}};
    return all;
  }
};

}  // namespace assay::validation
