// The error contract: a kernel refuses each kind of bad argument with a message that names the argument, and writes
// nothing outside its outputs.
#include <limits>

#include "validation/core/properties.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

constexpr auto largest_integer = std::numeric_limits<std::int64_t>::max();

/// Two valid matrices of 3 x 2, which each row below spoils in one way.
SvdCase healthy(const SvdCase& c) {
  return {2, 3, 2, c.dtype, {0.5, -1, 0.25, 2, 1, 0, 1, 0, 0, 1, 1, 1}};
}

const BadArgumentOf<SvdOperation> bad_arguments[] = {
    {"A too short", "A", [](SvdCase& c, SvdFields::RunOptions&) { c.A.pop_back(); }},
    {"A too long", "A", [](SvdCase& c, SvdFields::RunOptions&) { c.A.push_back(1); }},
    {"B negative", "B", [](SvdCase& c, SvdFields::RunOptions&) { c.B = -2; }},
    {"M negative", "M", [](SvdCase& c, SvdFields::RunOptions&) { c.M = -3; }},
    {"N negative", "N", [](SvdCase& c, SvdFields::RunOptions&) { c.N = -1; }},
    {"M * N past 64 bits", "M|N|A", [](SvdCase& c, SvdFields::RunOptions&) { c.M = c.N = std::int64_t{1} << 40; }},
    {"N = 2^40, and A too short for it", "N|A",
     [](SvdCase& c, SvdFields::RunOptions&) { c.N = std::int64_t{1} << 40; }},
    {"B * M * N past 64 bits", "B|A", [](SvdCase& c, SvdFields::RunOptions&) { c.B = largest_integer / 2; }},
    {"S one too long", "S", [](SvdCase&, SvdFields::RunOptions& options) { options.extra["S"] = 1; }},
    {"S one too short", "S", [](SvdCase&, SvdFields::RunOptions& options) { options.extra["S"] = -1; }},
    {"U one too long", "U", [](SvdCase&, SvdFields::RunOptions& options) { options.extra["U"] = 1; }},
    {"U one too short", "U", [](SvdCase&, SvdFields::RunOptions& options) { options.extra["U"] = -1; }},
    {"Vh one too long", "Vh", [](SvdCase&, SvdFields::RunOptions& options) { options.extra["Vh"] = 1; }},
    {"Vh one too short", "Vh", [](SvdCase&, SvdFields::RunOptions& options) { options.extra["Vh"] = -1; }},
    {"U without Vh", "Vh", [](SvdCase&, SvdFields::RunOptions& options) { options.without = {"Vh"}; }},
    {"S of another type", "S", [](SvdCase&, SvdFields::RunOptions& options) { options.other_type = {"S"}; }},
    {"Vh of another type", "Vh", [](SvdCase&, SvdFields::RunOptions& options) { options.other_type = {"Vh"}; }},
};

constexpr reference::RandomizedSvd of_rank(std::int64_t rank, std::int64_t oversampling, std::int64_t iterations) {
  return {rank, oversampling, iterations, 0};
}

const BadArgumentOf<SvdOperation> bad_randomized[] = {
    {"rank 0", "rank",
     [](SvdCase&, SvdFields::RunOptions& options) { options.request.randomized = of_rank(0, 10, 2); }},
    {"a rank above K", "rank",
     [](SvdCase&, SvdFields::RunOptions& options) { options.request.randomized = of_rank(3, 10, 2); }},
    {"a negative oversampling", "oversampling",
     [](SvdCase&, SvdFields::RunOptions& options) { options.request.randomized = of_rank(1, -1, 2); }},
    {"negative power iterations", "power_iterations",
     [](SvdCase&, SvdFields::RunOptions& options) { options.request.randomized = of_rank(1, 10, -1); }},
};

}  // namespace

SvdProperty refusals() {
  return validation::refusals<SvdOperation>(healthy, bad_arguments, bad_randomized,
                                            [](const SvdKernelInfo& info) { return info.has_randomized; });
}

}  // namespace assay::validation::svd
