// The error contract: each kind of bad argument is refused with a message that names it, and nothing outside the
// outputs is touched on the way. Results in answer to any of these are an error.
#include <limits>

#include "validation/core/refusal.h"
#include "validation/svd/properties/properties.h"
#include "validation/svd/run.h"

namespace assay::validation::svd {
namespace {

constexpr auto largest = std::numeric_limits<std::int64_t>::max();

/// Two healthy matrices of 3 x 2, which each row below spoils in one way.
SvdCase healthy(const SvdCase& c) {
  return {2, 3, 2, c.dtype, {0.5, -1, 0.25, 2, 1, 0, 1, 0, 0, 1, 1, 1}};
}

const BadArgument<SvdCase, SvdRunOptions> bad_arguments[] = {
    {"A too short", "A", [](SvdCase& c, SvdRunOptions&) { c.A.pop_back(); }},
    {"A too long", "A", [](SvdCase& c, SvdRunOptions&) { c.A.push_back(1); }},
    {"B negative", "B", [](SvdCase& c, SvdRunOptions&) { c.B = -2; }},
    {"M negative", "M", [](SvdCase& c, SvdRunOptions&) { c.M = -3; }},
    {"N negative", "N", [](SvdCase& c, SvdRunOptions&) { c.N = -1; }},
    {"M * N past 64 bits", "M * N", [](SvdCase& c, SvdRunOptions&) { c.M = c.N = std::int64_t{1} << 40; }},
    {"N * N past 64 bits", "N * N", [](SvdCase& c, SvdRunOptions&) { c.N = std::int64_t{1} << 40; }},
    {"B * M * N past 64 bits", "B", [](SvdCase& c, SvdRunOptions&) { c.B = largest / 2; }},
    {"S one too long", "S", [](SvdCase&, SvdRunOptions& options) { options.extra_S = 1; }},
    {"S one too short", "S", [](SvdCase&, SvdRunOptions& options) { options.extra_S = -1; }},
    {"U one too long", "U", [](SvdCase&, SvdRunOptions& options) { options.extra_U = 1; }},
    {"U one too short", "U", [](SvdCase&, SvdRunOptions& options) { options.extra_U = -1; }},
    {"Vh one too long", "Vh", [](SvdCase&, SvdRunOptions& options) { options.extra_Vh = 1; }},
    {"Vh one too short", "Vh", [](SvdCase&, SvdRunOptions& options) { options.extra_Vh = -1; }},
    {"U without Vh", "Vh", [](SvdCase&, SvdRunOptions& options) { options.U_alone = true; }},
    {"S of another type", "S", [](SvdCase&, SvdRunOptions& options) { options.S_of_other_type = true; }},
    {"Vh of another type", "Vh", [](SvdCase&, SvdRunOptions& options) { options.Vh_of_other_type = true; }},
};

constexpr reference::RandomizedSvd of_rank(std::int64_t rank, std::int64_t oversampling, std::int64_t iterations) {
  return {rank, oversampling, iterations, 0};
}

const BadArgument<SvdCase, SvdRunOptions> bad_randomized[] = {
    {"rank 0", "rank", [](SvdCase&, SvdRunOptions& options) { options.randomized = of_rank(0, 10, 2); }},
    {"a rank above K", "rank", [](SvdCase&, SvdRunOptions& options) { options.randomized = of_rank(3, 10, 2); }},
    {"a negative oversampling", "oversampling",
     [](SvdCase&, SvdRunOptions& options) { options.randomized = of_rank(1, -1, 2); }},
    {"negative power iterations", "power_iterations",
     [](SvdCase&, SvdRunOptions& options) { options.randomized = of_rank(1, 10, -1); }},
};

Finding check(const SvdContext& context, const SvdCase& c) {
  if (!context.kernel.info().support.checks_arguments)
    return Finding::skip("the kernel does not claim to check its arguments");
  const SvdCase good = healthy(c);
  run_valid(context.kernel, good);
  Finding finding = judge_refusals(context.kernel, good, bad_arguments);
  if (is_failure(finding.verdict) || !context.kernel.info().has_randomized) return finding;
  return judge_refusals(context.kernel, good, bad_randomized);
}

}  // namespace

SvdProperty refusals() {
  return {"refusals", "each kind of bad argument is refused by name", {}, check};
}

}  // namespace assay::validation::svd
