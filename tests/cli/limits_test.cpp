// Files without an end and arrays without measure are refused, and nothing is filled with them.
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/program.h"
#include "tests/matchers.h"
#include "validation/core/npz.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

class Limits : public Program {};

TEST_F(Limits, OfAnEndlessFile) {
  for (const std::string command : {"merge /dev/zero", "replay --from /dev/zero", "lattice --request /dev/zero"})
    expect_refused(command, "more than 256 MiB come, and no end");
  const Outcome outcome = shell("cat /dev/zero | '" ASSAY_PROGRAM "' merge /dev/stdin");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'/dev/stdin': more than 256 MiB come, and no end"));
}

TEST_F(Limits, OfTheMemoryOfABatch) {
  write_npz(folder_ / "batch.npz", CtcOperation::sized_case(200, 5, 40, 2, 1));
  EXPECT_EQ(run("diagnose batch.npz").status, 0);
  for (const std::string command : {"gate ctc --kernel cpu --input batch.npz", "gradcheck ctc --input batch.npz",
                                    "replay 'property=loss kernel=cpu file=batch.npz'"})
    expect_refused(command + " --max-memory 1e-6", "the arrays, unpacked, take");
  const Outcome diagnosed = run("diagnose batch.npz --max-memory 1e-6");
  EXPECT_EQ(diagnosed.status, 2);
  EXPECT_THAT(diagnosed.out, HasSubstr("(--max-memory allows more)"));
  expect_refused("diagnose batch.npz --max-memory 0", "--max-memory");
}

/// Work along them would not end, and no array says that it must not begin.
TEST_F(Limits, OfExtentsWithoutElements) {
  const std::string refusal = " = 999999999990: expected at most 1048576 where no array has so many elements";
  for (const std::string extents : {"B=999999999990 M=1 N=0", "B=0 M=999999999990 N=3", "B=1 M=0 N=999999999990"})
    expect_refused("replay 'operation=svd property=order kernel=cpu dtype=float32 A= " + extents + "'", refusal);
  for (const std::string extents : {"T=999999999990 B=0 C=3 S=0", "T=0 B=0 C=999999999990 S=0"})
    expect_refused(
        "replay 'operation=ctc property=loss kernel=cpu blank=0 input=logits variable=logits layout=padded "
        "reduction=none zero_infinity=0 dtype=float32 activations= input_lengths= target_lengths= targets= "
        "upstream= " +
            extents + "'",
        refusal);
}

TEST_F(Limits, OfCasesInTurn) {
  const std::string one = "operation=svd property=order kernel=cpu dtype=float32 B=1 M=1 N=1 A=1";
  expect_refused("replay '" + one + " then times=1000000000 B=1 M=1 N=1 dtype=float32 A=1'",
                 "times=1000000000: expected 1 to 1000000");
}

#if !defined(__SANITIZE_ADDRESS__)  // which takes more addresses than any limit leaves

/// OpenBLAS tries for ever to get memory.
TEST_F(Limits, OfTheAddressesOfTheProcessEndTheGate) {
  for (const std::string kibibytes : {"250000", "500000", "1000000", "2000000"}) {
    const Outcome outcome =
        shell("ulimit -v " + kibibytes +
              "; timeout 100 '" ASSAY_PROGRAM
              "' gate svd --kernel cpu --generated --reach none --cases 2 --filter '^(repeat|order)$'");
    EXPECT_NE(outcome.status, 124) << kibibytes << " KiB: it hangs";
    if (outcome.status == 0) continue;
    EXPECT_THAT(outcome.out + outcome.err, ContainsRegex("memory|alloc|terminated|loading")) << kibibytes;
  }
}

TEST_F(Limits, OfTheMemoryForTheThreadsOfAKernelEndTheDispatch) {
  write("k.metal",
        "#include <metal_stdlib>\nkernel void k(device int* x, uint i [[thread_position_in_grid]]) {\n"
        "  metal::threadgroup_barrier(metal::mem_flags::mem_device);\n  x[i] = 1;\n}\n");
  const std::string check = "metal check k.metal --buffer 0=zero:65536 --grid 65536 --group 1024";
  ASSERT_EQ(run(check).status, 0);
  const Outcome outcome = shell("ulimit -d 300000; '" ASSAY_PROGRAM "' " + check);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("there is no memory for"));
}

TEST_F(Limits, OfTheAddressesOfTheEmulatedDeviceAreNamed) {
  write("k.metal", "kernel void k(device int* x) { x[0] = 1; }\n");
  const Outcome outcome = shell("ulimit -v 8000000; '" ASSAY_PROGRAM "' metal check k.metal --buffer 0=0 --grid 1");
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("reserves 1 TiB of them and occupies few: lift the limit (ulimit -v)"));
}

#endif

}  // namespace
}  // namespace assay::validation
