// .npy files as a kernel's arguments: read back to the bit, and each file that would be misread refused by name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/refusal.h"
#include "tests/validation/npz_files.h"
#include "validation/core/npy.h"
#include "validation/shader/array.h"
#include "validation/shader/contents.h"

namespace assay::validation {
namespace {

metal::Argument argument(const std::string& type, std::uint64_t size) {
  metal::Argument argument;
  argument.name = "x", argument.type = "device const " + type + "*", argument.index = 3;
  argument.element_type = type, argument.element_size = size;
  return argument;
}

class Arrays : public testing::Test {
 protected:
  Arrays() : path_(testing::TempDir() + fmt::format("assay-array-{}.npy", getpid())) {}
  ~Arrays() override { std::filesystem::remove(path_); }

  void write(const NpyHeader& header, const std::string& bytes) const { fill(format_npy({header, bytes})); }
  void fill(const std::string& file) const { std::ofstream(path_, std::ios::binary) << file; }
  ShaderArray read(const std::string& type, std::uint64_t size) const { return read_npy(argument(type, size), path_); }
  std::string refusal(const std::string& type, std::uint64_t size) const {
    return refusal_of<std::exception>([&] { read(type, size); });
  }

  std::filesystem::path path_;
};

TEST_F(Arrays, AreReadAndWrittenToTheBit) {
  struct Type {
    std::string metal;
    char kind;
    std::size_t size;
  };
  const std::vector<Type> all = {{"float", 'f', 4}, {"half", 'f', 2},  {"bfloat", 'u', 2}, {"bool", 'b', 1},
                                 {"char", 'i', 1},  {"uchar", 'u', 1}, {"short", 'i', 2},  {"ushort", 'u', 2},
                                 {"int", 'i', 4},   {"uint", 'u', 4},  {"long", 'i', 8},   {"ulong", 'u', 8}};
  for (const auto& [type, kind, size] : all) {
    const NpyHeader header{kind, size, false, false, {2, 3}};
    std::string bytes;
    for (std::size_t n = 0; n < header.size() * header.item_size; ++n) bytes += static_cast<char>(0xF9 + n);
    write(header, bytes);
    const ShaderArray array = read(type, header.item_size);
    EXPECT_EQ(array.scalar, type);
    EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 3}));
    fill("");
    write_npy(array, path_);
    std::ifstream file(path_, std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), format_npy({header, bytes})) << type;
  }
}

TEST_F(Arrays, OfAnyTypeAreBytesToAKernelThatTakesBytes) {
  write({'f', 4, false, false, {6}}, std::string(24, '\1'));
  EXPECT_EQ(read("char", 1).summary(), "float32 [6]");
  EXPECT_EQ(read("void", 0).summary(), "float32 [6]");
  EXPECT_EQ(read("Block", 12).summary(), "float32 [6]");
  EXPECT_THAT(refusal("Block", 16), HasSubstr("float32 [6], 24 bytes: expected a multiple of 16 bytes"));
}

TEST_F(Arrays, OfAnotherTypeThanTheKernelsAreRefused) {
  write({'f', 4, false, false, {4}}, std::string(16, '\0'));
  EXPECT_EQ(refusal("half", 2), "float32 [4]: expected numbers of type float16");
  EXPECT_EQ(refusal("uint", 4), "float32 [4]: expected numbers of type uint32");
  EXPECT_EQ(refusal("bfloat", 2), "float32 [4]: expected numbers of type uint16, the bits");
  EXPECT_EQ(refusal("bool", 1), "float32 [4]: expected numbers of type bool");
  EXPECT_EQ(refusal("float", 4), "accepted");
  EXPECT_EQ(refusal("float4", 16), "accepted");
  EXPECT_EQ(refusal("atomic_float", 4), "accepted");
  write({'i', 4, false, false, {4}}, std::string(16, '\0'));
  EXPECT_EQ(refusal("uint", 4), "int32 [4]: expected numbers of type uint32");
  EXPECT_EQ(refusal("atomic_uint", 4), "int32 [4]: expected numbers of type uint32");
  write({'f', 8, false, false, {4}}, std::string(32, '\0'));
  EXPECT_THAT(refusal("float", 4), HasSubstr("Metal has no double"));
  write({'U', 4, false, false, {4}}, std::string(16, '\0'));
  EXPECT_THAT(refusal("char", 1), HasSubstr("dtype '<U1'"));
}

TEST_F(Arrays, OfRowsOfThreeAreRefusedWhereMetalsRowsHaveFour) {
  write({'f', 4, false, false, {8, 3}}, std::string(96, '\0'));
  EXPECT_THAT(refusal("float3", 16), HasSubstr("expected a last axis of 4, because float3"));
  EXPECT_EQ(refusal("packed_float3", 12), "accepted");
}

TEST_F(Arrays, ThatWouldBeMisreadAreRefusedByName) {
  write({'f', 4, true, false, {2, 2}}, std::string(16, '\0'));
  EXPECT_EQ(refusal("float", 4), ">f4 [2, 2]: expected little endian");
  write({'f', 4, false, true, {2, 2}}, std::string(16, '\0'));
  EXPECT_EQ(refusal("float", 4), "float32 [2, 2] in Fortran order: expected C order, the last index fastest");
  write({'f', 4, false, false, {0, 2}}, "");
  EXPECT_EQ(refusal("float", 4), "float32 [0, 2]: expected at least one number");
  const std::string whole = format_npy({{'f', 4, false, false, {4}}, std::string(16, '\0')});
  fill(whole.substr(0, whole.size() - 3));
  EXPECT_EQ(refusal("float", 4), "float32 [4]: expected 16 bytes of elements, found 13");
  fill(whole.substr(0, 40));
  EXPECT_THAT(refusal("float", 4), HasSubstr("expected it within the file's 40"));
  fill("1,2,3");
  EXPECT_THAT(refusal("float", 4), HasSubstr("not a .npy file"));
  std::filesystem::remove(path_);
  EXPECT_THAT(refusal("float", 4), HasSubstr("No such file"));
}

TEST_F(Arrays, AreContentsWithOrWithoutTheWordFile) {
  write({'f', 4, false, false, {2}}, std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  for (const std::string prefix : {"", "file:"})
    EXPECT_EQ(buffer_contents(argument("float", 4), "--buffer 3", prefix + path_.string(), 1).summary(), "float32 [2]");
}

}  // namespace
}  // namespace assay::validation
