// 16-bit inputs and the same numbers in float32 give the same losses, and the same gradients up to the rounding when
// gradients are stored.
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

Finding check_images(const CceContext& context, const CceCase& c) {
  if (c.dtype == Dtype::float32) return Finding::skip("the case is its own float32 image", SkipCause::wrong_kind);
  CceCase image = c;
  image.dtype = Dtype::float32;
  CceRunComparison comparison(c, image, context.kernel.info());
  comparison.all(run_valid(context.kernel, c), run_valid(context.kernel, image));
  return comparison.finding();
}

}  // namespace

CceProperty images() {
  return {"images", "16-bit inputs and their float32 images agree", {.half_types = 1}, check_images};
}

}  // namespace assay::validation::cce
