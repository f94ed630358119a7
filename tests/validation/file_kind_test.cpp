// What is given in the place of an .npz is named, and how to make an .npz of it.
#include "validation/core/file_kind.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/matchers.h"
#include "tests/refusal.h"

namespace assay::validation {
namespace {

using namespace std::string_literals;

std::string how(const std::string& kind, const std::string& reader) {
  return kind + "; to make an .npz of it: numpy.savez('batch.npz', NAME=" + reader + ", ...)";
}

TEST(FileKind, NamesWhatPeopleHaveInThePlaceOfAnNpz) {
  EXPECT_EQ(not_npz("\x93NUMPY\1\0"s), how("a .npy file, which holds one array", "numpy.load(path)"));
  const std::string entry = "PK\3\4" + std::string(22, '\0') + "\x10\0\0\0"s;
  EXPECT_EQ(not_npz(entry + "archive/data.pkl...."), how("a file of PyTorch", "torch.load(path)"));
  EXPECT_EQ(not_npz("\x80\x02\x8a"), how("a pickle, which older PyTorch saves", "torch.load(path)"));
  EXPECT_EQ(not_npz("\x10\0\0\0\0\0\0\0{\"logits\":"s),
            how("a .safetensors file", "safetensors.numpy.load_file(path)[name]"));
  EXPECT_EQ(not_npz("\x89HDF\r\n\x1a\n"), how("an HDF5 file", "h5py.File(path)[name]"));
  EXPECT_EQ(not_npz("t,b,k\n1,2.5,-3e4\n"), how("a text", "numpy.loadtxt(path, delimiter=',')"));
  EXPECT_EQ(not_npz(""), "an empty file");
  EXPECT_THAT(not_npz("\0\1\2\3 anything"s), StartsWith("no zip archive"));
}

TEST(FileKind, TakesZipArchives) {
  EXPECT_EQ(not_npz("PK\3\4" + std::string(22, '\0') + "\x0a\0\0\0logits.npy"s), "");
  EXPECT_EQ(not_npz("PK\5\6" + std::string(18, '\0')), "");
  EXPECT_EQ(not_npz("PK\3\4"), "");  // cut short: who opens it says so
}

TEST(FileKind, NamesFoldersAndDevices) {
  EXPECT_THAT(refusal_of([] { require_npz("/"); }), EndsWith("this is a folder"));
  EXPECT_THAT(refusal_of([] { require_npz("/dev/null"); }), EndsWith("this is no file, but a device or a pipe"));
  EXPECT_EQ(refusal_of([] { require_npz("/no/such/batch.npz"); }), "accepted");
}

}  // namespace
}  // namespace assay::validation
