// The error contract of a batch of matrices: each kind of bad argument, with the whole message.
#include "reference/svd/validate.h"

#include <limits>
#include <string>
#include <vector>

#include "tests/reference/expect.h"
#include "tests/refusal.h"

namespace assay::reference {
namespace {

/// The refusal, or "accepted", of two matrices [2, 3] and an rSVD of rank 2 after `change`.
std::string said(void (*change)(std::vector<double>&, SvdProblem<double>&, RandomizedSvd&)) {
  std::vector<double> A(12, 1.5);
  SvdProblem<double> problem{2, 2, 3, {}};
  RandomizedSvd randomized{2, 1, 0, 0};
  change(A, problem, randomized);
  problem.A = A;
  return refusal_of([&] {
    validate(problem);
    validate_values(problem);
    validate(randomized, problem);
  });
}

TEST(SvdValidate, NamesTheArgument) {
  EXPECT_EQ(said([](auto&, auto&, auto&) {}), "accepted");
  EXPECT_EQ(said([](auto&, auto& x, auto&) { x.B = -1; }), "B = -1: expected at least 0");
  EXPECT_EQ(said([](auto&, auto& x, auto&) { x.M = -1; }), "M = -1: expected at least 0");
  EXPECT_EQ(said([](auto&, auto& x, auto&) { x.N = 4; }), "A.size() = 12: expected B * M * N = 16");
  EXPECT_EQ(said([](auto&, auto& x, auto&) { x.N = std::int64_t{1} << 40; }),
            "A.size() = 12: expected B * M * N = 4398046511104");
  EXPECT_EQ(said([](auto&, auto& x, auto&) { x.M = x.N = std::int64_t{1} << 32; }),
            "M * N = 4294967296 * 4294967296: expected a product that fits in 64 bits");
  EXPECT_EQ(said([](auto&, auto& x, auto&) { x.B = std::int64_t{1} << 62; }),
            "B * (M * N) = 4611686018427387904 * 6: expected a product that fits in 64 bits");
}

TEST(SvdValidate, NamesTheElement) {
  EXPECT_EQ(said([](auto& A, auto&, auto&) { A[10] = std::numeric_limits<double>::infinity(); }),
            "A[b=1, i=1, j=1] = inf: expected a finite number");
  EXPECT_EQ(said([](auto& A, auto&, auto&) { A[2] = std::numeric_limits<double>::quiet_NaN(); }),
            "A[b=0, i=0, j=2] = nan: expected a finite number");
}

TEST(SvdValidate, NamesWhatIsWrongWithAnRsvd) {
  EXPECT_EQ(said([](auto&, auto&, auto& r) { r.rank = 0; }), "rank = 0: expected a number in [1, min(M, N)=2]");
  EXPECT_EQ(said([](auto&, auto&, auto& r) { r.rank = 3; }), "rank = 3: expected a number in [1, min(M, N)=2]");
  EXPECT_EQ(said([](auto&, auto&, auto& r) { r.oversampling = -1; }), "oversampling = -1: expected at least 0");
  EXPECT_EQ(said([](auto&, auto&, auto& r) { r.power_iterations = -1; }), "power_iterations = -1: expected at least 0");
}

}  // namespace
}  // namespace assay::reference
