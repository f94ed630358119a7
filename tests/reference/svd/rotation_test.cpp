#include "reference/svd/rotation.h"

#include "tests/reference/svd/matrices.h"

namespace assay::reference {
namespace {

TEST(Rotation, MakesTwoVectorsOrthogonalAndTheNormsThoseStated) {
  for (const double size : {1.0, 0.5, 1e-3, 1e-20})
    for (const double sign : {1.0, -1.0}) {
      std::vector<BigFloat> x{3, -1, 2}, y{sign * size, size, 0.25 * size};
      const BigFloat norm_x = norm<BigFloat>(x), norm_y = norm<BigFloat>(y);
      const BigFloat q = cosine<BigFloat>(x, norm_x, y, norm_y);
      const Rotation<BigFloat> rotation = orthogonalizing_rotation(norm_x, norm_y, q);
      rotate<BigFloat>(x, y, rotation);
      const BigFloat bound(1e-48), c = rotation.cosine(), s = rotation.sine;
      tests::expect_near(cosine<BigFloat>(x, norm<BigFloat>(x), y, norm<BigFloat>(y)), 0, bound);
      tests::expect_near(c * c + s * s, 1, bound);
      EXPECT_LE(magnitude(s), c);  // |tan(theta)| <= 1
      tests::expect_relatively_near(norm<BigFloat>(y), norm_y * sqrt(1 - rotation.share), bound);
      tests::expect_relatively_near(norm<BigFloat>(x),
                                    norm_x * sqrt(1 + rotation.share * rotation.ratio * rotation.ratio), bound);
    }
}

}  // namespace
}  // namespace assay::reference
