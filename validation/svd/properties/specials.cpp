// A NaN or an infinity anywhere is refused by name: LAPACK has returned success (Reference-LAPACK/lapack#1392) and
// looped for ever (#1409, numpy/numpy#5588) on such.
#include <limits>

#include "validation/core/infinity.h"
#include "validation/core/properties.h"
#include "validation/svd/fields.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Finding check_specials(const SvdContext& context, const SvdCase& c) {
  if (!context.kernel.info().support.does("checks_arguments"))
    return Finding::not_claimed("claim to check its arguments");
  const auto last = static_cast<std::size_t>(c.B * c.M * c.N - 1);
  for (const std::size_t place : {std::size_t{0}, last / 2, last}) {
    for (const double special : {nan, infinity, -infinity}) {
      SvdCase bad = c;
      bad.A[place] = special;
      for (const auto& options : {SvdFields::RunOptions(), smaller_requests<SvdOperation>().front()}) {
        Finding finding = judge_refusal(run_kernel(context.kernel, bad, options),
                                        special == special ? "an infinity in A" : "a NaN in A", "A[");
        if (is_failure(finding.verdict)) return finding;
      }
    }
  }
  return Finding::pass();
}

}  // namespace

SvdProperty specials() {
  return {"specials", "a NaN or an infinity anywhere is refused by name", {}, check_specials};
}

}  // namespace assay::validation::svd
