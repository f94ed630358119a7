// NumPy's .npy format: what NumPy 1.24 writes is read to the bit, and what is hostile is refused in words.
#include "validation/core/npy.h"
#include "tests/reference/expect.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/refusal.h"

namespace assay::validation {
namespace {

using namespace std::string_literals;

/// A file whose header is `text`, with the length that is true of it.
std::string file_of(const std::string& text, const std::string& elements, int version = 1) {
  std::string file = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) file += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  return file + text + elements;
}

std::string dict(const std::string& descr, const std::string& shape, bool fortran_order = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': " + shape +
         ", }\n";
}

std::vector<float> floats(const std::string& file) {
  std::size_t rounded = 0;
  return npy_floats(parse_npy(file), rounded);
}

std::vector<std::int64_t> integers(const std::string& file) {
  return npy_integers(parse_npy(file));
}

TEST(Npy, ReadsWhatNumPyWrote) {
  // np.save(file, np.array([[1, 2, 3], [4, 5, -6]], dtype=np.float32))
  const std::string file = "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"s +
                           std::string(58, ' ') +
                           "\n\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40\0\0\xc0\xc0"s;
  ASSERT_EQ(file.size(), 128U + 24U);
  EXPECT_EQ(parse_npy(file).header.summary(), "float32 [2, 3]");
  EXPECT_EQ(floats(file), (std::vector<float>{1, 2, 3, 4, 5, -6}));
}

TEST(Npy, WritesWhatNumPyWrites) {
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  const std::string elements = "\0\0\x80\x3f\0\0\0\xc0"s;
  EXPECT_EQ(format_npy(npy_array(std::vector<float>{1, -2}, {2})),
            file_of(text + std::string(60, ' ') + "\n", elements));
  EXPECT_EQ(format_npy(npy_flag_array(true)).substr(10, 59),
            "{'descr': '|b1', 'fortran_order': False, 'shape': (), }    ");
}

TEST(Npy, ReadsAllVersionsAndAnyOrderOfKeys) {
  const std::string elements = "\0\0\x80\x3f"s;
  for (const int version : {1, 2, 3})
    EXPECT_EQ(floats(file_of(dict("<f4", "(1,)"), elements, version)), std::vector{1.0F});
  EXPECT_EQ(floats(file_of("{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"<f4\"}", elements)), std::vector{1.0F});
  EXPECT_EQ(floats(file_of("{ 'shape' : ( 1 , ) , 'descr':'<f4','fortran_order' :True }  \n", elements)),
            std::vector{1.0F});
}

TEST(Npy, ReadsFortranOrderIntoRowMajor) {
  // np.asfortranarray(np.arange(12, dtype=np.int8).reshape(2, 3, 2))
  const std::string elements = "\0\6\2\10\4\12\1\7\3\11\5\13"s;
  std::vector<std::int64_t> counting(12);
  for (std::size_t i = 0; i < 12; ++i) counting[i] = static_cast<std::int64_t>(i);
  EXPECT_EQ(integers(file_of(dict("|i1", "(2, 3, 2)", true), elements)), counting);
}

TEST(Npy, ReadsEveryFloatExactly) {
  // 1, -2, 65504, 2^-24 (subnormal), 1023 * 2^-24, -0, +inf in binary16
  const std::string half = "\x00\x3c\x00\xc0\xff\x7b\x01\x00\xff\x03\x00\x80\x00\x7c"s;
  const std::vector<float> expected = {
      1, -2, 65504, 0x1p-24F, 0x3FFp-24F, -0.0F, std::numeric_limits<float>::infinity()};
  const std::vector<float> got = floats(file_of(dict("<f2", "(7,)"), half));
  EXPECT_EQ(got, expected);
  EXPECT_TRUE(std::signbit(got[5]));
  EXPECT_TRUE(std::isnan(floats(file_of(dict("<f2", "()"), "\x01\x7e"))[0]));
  EXPECT_EQ(floats(file_of(dict(">f2", "()"), "\x3c\x01"))[0], 1 + 0x1p-10F);
  EXPECT_EQ(floats(file_of(dict(">f4", "()"), "\x3f\x80\0\0"s))[0], 1.0F);
  EXPECT_EQ(floats(file_of(dict(">f8", "()"), "\xc0\0\0\0\0\0\0\0"s))[0], -2.0F);
}

TEST(Npy, TakesTheBitsOfBfloat16) {
  // 1, -2, inf and the smallest subnormal, as ml_dtypes saves them, and as unsigned integers of the other byte order.
  const std::vector<float> expected = {1, -2, std::numeric_limits<float>::infinity(), 0x1p-133F};
  std::size_t rounded = 0;
  for (const std::string& file : {file_of(dict("<V2", "(4,)"), "\x80\x3f\x00\xc0\x80\x7f\x01\x00"s),
                                  file_of(dict(">u2", "(2, 2)"), "\x3f\x80\xc0\x00\x7f\x80\x00\x01"s)})
    EXPECT_EQ(npy_floats(npy_from_bfloat16_bits(parse_npy(file)), rounded), expected);
}

TEST(Npy, SaysWhatToDoAboutTypesThatNumPyLacks) {
  EXPECT_EQ(refusal_of([] { floats(file_of(dict("|V2", "(1,)"), "\0\0"s)); }),
            "V2 [1]: expected float16, float32 or float64; are these bfloat16? store dtype='bfloat16' beside them: "
            "numpy.savez(path, ..., dtype='bfloat16')");
  EXPECT_EQ(refusal_of([] { floats(file_of(dict("<V1", "(1,)"), "\0"s)); }),
            "V1 [1]: expected float16, float32 or float64; are these float8? no operation takes them: store "
            "array.astype(numpy.float32)");
}

TEST(Npy, KeepsTheBitsOfNaN) {
  const float quiet = std::bit_cast<float>(0xFFC12345U);
  const float signalling = std::bit_cast<float>(0x7F812345U);
  const std::vector<float> back = floats(format_npy(npy_array(std::vector<float>{quiet, signalling}, {2})));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(back[0]), 0xFFC12345U);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(back[1]), 0x7F812345U);
}

TEST(Npy, CountsWhatFloat64LosesAndRefusesWhatItCannotHold) {
  // [0.1, 0.5, inf, nan]: one of them is not a float32.
  const std::string four =
      "\x9a\x99\x99\x99\x99\x99\xb9\x3f\0\0\0\0\0\0\xe0\x3f\0\0\0\0\0\0\xf0\x7f\0\0\0\0\0\0\xf8\x7f"s;
  std::size_t rounded = 0;
  const std::vector<float> got = npy_floats(parse_npy(file_of(dict("<f8", "(4,)"), four)), rounded);
  EXPECT_EQ(rounded, 1U);
  EXPECT_EQ(got[0], 0.1F);
  EXPECT_TRUE(std::isnan(got[3]));
  const std::string too_large = "\x9c\x75\x00\x88\x3c\xe4\x37\x7e"s;  // 1e300
  EXPECT_EQ(refusal_of([&] { floats(file_of(dict("<f8", "(1,)"), too_large)); }),
            "element 0 in row-major order = 1e+300: expected a value within float32's range");
}

TEST(Npy, KeepsEveryBitOfDoubles) {
  const double max = std::numeric_limits<double>::max();
  const std::vector<double> all = {
      0.1, -0.0, 5e-324, -max, std::numeric_limits<double>::infinity(), std::bit_cast<double>(0xFFF8123456789ABCU)};
  const NpyArray array = parse_npy(format_npy(npy_array(all, {2, 3})));
  EXPECT_EQ(array.header.summary(), "float64 [2, 3]");
  const std::vector<double> back = npy_doubles(array);
  ASSERT_EQ(back.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back[i]), std::bit_cast<std::uint64_t>(all[i])) << i;
}

TEST(Npy, ReadsFloatsOfAnyTypeAsDoubles) {
  const auto doubles = [](const std::string& file) { return npy_doubles(parse_npy(file)); };
  EXPECT_EQ(doubles(file_of(dict("<f2", "(2,)"), "\xff\x7b\x01\x00"s)), (std::vector<double>{65504, 0x1p-24}));
  EXPECT_EQ(doubles(file_of(dict("<f4", "(1,)"), "\xcd\xcc\xcc\x3d"s)), std::vector{double{0.1F}});
  EXPECT_EQ(doubles(file_of(dict(">f8", "(1,)"), "\x3f\xb9\x99\x99\x99\x99\x99\x9a"s)), std::vector{0.1});
  const std::string columns = "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\x08\x40\0\0\0\0\0\0\x10\x40"s;
  EXPECT_EQ(doubles(file_of(dict("<f8", "(2, 2)", true), columns)), (std::vector<double>{1, 3, 2, 4}));
  EXPECT_EQ(doubles(format_npy(npy_array(std::vector<double>{}, {0, 3}))), std::vector<double>{});
  EXPECT_EQ(refusal_of([&] { doubles(file_of(dict("<i8", "(1,)"), "12345678")); }),
            "int64 [1]: expected float16, float32 or float64");
  EXPECT_EQ(refusal_of([&] { format_npy(npy_array(std::vector<double>{1, 2}, {3})); }),
            "float64 [3]: expected 24 bytes of elements, found 16");
}

TEST(Npy, ReadsEveryInteger) {
  EXPECT_EQ(integers(file_of(dict("|i1", "(2,)"), "\xff\x7f")), (std::vector<std::int64_t>{-1, 127}));
  EXPECT_EQ(integers(file_of(dict("|u1", "(2,)"), "\xff\x7f")), (std::vector<std::int64_t>{255, 127}));
  EXPECT_EQ(integers(file_of(dict("<i2", "()"), "\xfe\xff")), std::vector<std::int64_t>{-2});
  EXPECT_EQ(integers(file_of(dict(">u2", "()"), "\xfe\xff")), std::vector<std::int64_t>{0xfeff});
  EXPECT_EQ(integers(file_of(dict(">i4", "()"), "\x80\0\0\1"s)), std::vector<std::int64_t>{-0x7fffffffL});
  EXPECT_EQ(integers(file_of(dict("<u4", "()"), "\xff\xff\xff\xff")), std::vector<std::int64_t>{0xffffffffL});
  EXPECT_EQ(integers(file_of(dict("<i8", "()"), "\0\0\0\0\0\0\0\x80"s)),
            std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min()});
  EXPECT_EQ(refusal_of([] { integers(file_of(dict("<u8", "()"), "\0\0\0\0\0\0\0\x80"s)); }),
            "element 0 = 9223372036854775808: expected at most 2^63 - 1");
}

TEST(Npy, ReadsTextAndFlags) {
  EXPECT_EQ(npy_text(parse_npy(file_of(dict("<U4", "()"), "s\0\0\0u\0\0\0m\0\0\0\0\0\0\0"s))), "sum");
  EXPECT_EQ(npy_text(parse_npy(file_of(dict(">U3", "()"), "\0\0\0s\0\0\0u\0\0\0m"s))), "sum");
  EXPECT_EQ(npy_text(parse_npy(format_npy(npy_text_array("none")))), "none");
  EXPECT_TRUE(npy_flag(parse_npy(format_npy(npy_flag_array(true)))));
  EXPECT_FALSE(npy_flag(parse_npy(format_npy(npy_flag_array(false)))));
}

TEST(Npy, ReadsAndWritesNumbersOfAnyType) {
  for (const double number : {0.1, -0.0, 5e-324, 1e300, std::numeric_limits<double>::infinity()}) {
    const double back = npy_number(parse_npy(format_npy(npy_number_array(number))));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(number)) << number;
  }
  EXPECT_EQ(format_npy(npy_number_array(1)).substr(10, 55), "{'descr': '<f8', 'fortran_order': False, 'shape': (), }");
  EXPECT_EQ(npy_number(parse_npy(file_of(dict(">f8", "()"), "\xc0\0\0\0\0\0\0\0"s))), -2);
  EXPECT_EQ(npy_number(parse_npy(file_of(dict("<f4", "()"), "\xcd\xcc\xcc\x3d"s))), double{0.1F});
  EXPECT_EQ(npy_number(parse_npy(file_of(dict("<f2", "()"), "\x01\0"s))), 0x1p-24);
  EXPECT_EQ(npy_number(parse_npy(file_of(dict("|i1", "()"), "\xff"s))), -1);
  EXPECT_EQ(npy_number(parse_npy(file_of(dict("<u2", "()"), "\xff\xff"s))), 65535);
  EXPECT_EQ(refusal_of([] { npy_number(npy_text_array("1")); }), "<U1 []: expected a number");
  EXPECT_EQ(refusal_of([] { npy_number(npy_flag_array(true)); }), "bool []: expected a number");
  EXPECT_EQ(refusal_of([] { npy_number(npy_array(std::vector<float>{1}, {1})); }),
            "float32 [1]: expected a scalar, of shape []");
}

TEST(Npy, ReadsEmptyArrays) {
  EXPECT_EQ(floats(file_of(dict("<f4", "(0, 3)"), "")), std::vector<float>{});
  EXPECT_EQ(floats(file_of(dict("<f4", "(3, 0, 2)", true), "")), std::vector<float>{});
}

TEST(Npy, RefusesAnArrayOfAnotherType) {
  const std::string one = "\0\0\x80\x3f"s;
  EXPECT_EQ(refusal_of([&] { floats(file_of(dict("<i4", "()"), one)); }),
            "int32 []: expected float16, float32 or float64");
  EXPECT_EQ(refusal_of([&] { integers(file_of(dict("<f4", "()"), one)); }), "float32 []: expected an integer type");
  EXPECT_EQ(refusal_of([&] { npy_flag(parse_npy(file_of(dict("<f4", "()"), one))); }), "float32 []: expected bool");
  EXPECT_EQ(refusal_of([&] { npy_text(parse_npy(file_of(dict("<f4", "()"), one))); }),
            "float32 []: expected text (unicode)");
  EXPECT_EQ(refusal_of([&] { npy_text(parse_npy(file_of(dict("<U1", "(1,)"), "s\0\0\0"s))); }),
            "<U1 [1]: expected a scalar, of shape []");
  EXPECT_EQ(refusal_of([&] { npy_text(parse_npy(file_of(dict("<U1", "()"), "\xdf\0\0\0"s))); }),
            "character 223 of a text: expected ASCII");
}

TEST(Npy, WritesNoArrayWhoseElementsDoNotFillItsShape) {
  EXPECT_EQ(refusal_of([] { format_npy(npy_array(std::vector<float>(3), {2, 2})); }),
            "float32 [2, 2]: expected 16 bytes of elements, found 12");
  EXPECT_NE(refusal_of([] { format_npy(npy_array(std::vector<float>(3), {-3, -1})); }), "accepted");
}

struct Hostile {
  std::string name;
  std::string file;
  std::string expected;  ///< part of the complaint
};

void PrintTo(const Hostile& hostile, std::ostream* out) {
  *out << hostile.name;
}

class NpyHostile : public testing::TestWithParam<Hostile> {};

TEST_P(NpyHostile, IsRefusedInWords) {
  const std::string got = refusal_of([] { parse_npy(GetParam().file); });
  EXPECT_NE(got.find(GetParam().expected), std::string::npos) << got;
}

std::vector<Hostile> hostile_files() {
  const std::string four(4, '\0');
  const auto header = [&](const std::string& text) { return file_of(text, four); };
  const std::string whole = file_of(dict("<f4", "(1,)"), four);
  std::vector<Hostile> all = {
      {"Empty", "", "not a .npy file"},
      {"OtherMagic", "\x94NUMPY\1\0{}"s, "not a .npy file"},
      {"Version4", file_of(dict("<f4", "(1,)"), four, 4), "format 4.0"},
      {"Version0", file_of(dict("<f4", "(1,)"), four, 0), "format 0.0"},
      {"HeaderPastTheEnd", "\x93NUMPY\1\0\xff\0{}"s, "expected it within the file's 12"},
      {"HeaderOf64KiB", "\x93NUMPY\1\0\xff\xff{}"s, "header of 65535 bytes: expected at most 10000"},
      {"HeaderOf4GiB", "\x93NUMPY\2\0\xff\xff\xff\xff{}"s, "header of 4294967295 bytes: expected at most 10000"},
      {"HeaderCutInItsLength", "\x93NUMPY\2\0\1\0"s, "expected a header"},
      {"NoDict", header("descr"), "expected '{'"},
      {"OpenDict", header("{'descr': '<f4'"), "expected '}'"},
      {"NoComma", header("{'descr': '<f4' 'shape': (1,)}"), "expected '}'"},
      {"NoColon", header("{'descr' '<f4'}"), "expected ':'"},
      {"OpenQuote", header("{'descr"), "closing quote"},
      {"NoShape", header("{'descr': '<f4', 'fortran_order': False}"), "no key 'shape'"},
      {"NoOrder", header("{'descr': '<f4', 'shape': (1,)}"), "no key 'fortran_order'"},
      {"NoDescr", header("{'fortran_order': False, 'shape': (1,)}"), "no key 'descr'"},
      {"KeyTwice", header("{'descr': '<f4', 'descr': '<f4'}"), "key 'descr'"},
      {"OtherKey", header("{'evil': '<f4'}"), "key 'evil'"},
      {"AfterTheDict", header(dict("<f4", "(1,)") + "import os"), "'import os' after the dict"},
      {"OrderIsANumber", header("{'fortran_order': 0}"), "expected True or False"},
      {"ShapeIsANumber", header(dict("<f4", "(1)")), "expected a tuple"},
      {"ShapeIsAList", header(dict("<f4", "[1]")), "expected '('"},
      {"NegativeExtent", header(dict("<f4", "(-1,)")), "expected an extent"},
      {"ExtentOf2To63", header(dict("<f4", "(9223372036854775808,)")), "expected an extent"},
      {"ExtentOf30Digits", header(dict("<f4", "(999999999999999999999999999999,)")), "expected an extent"},
      {"EmptyExtent", header(dict("<f4", "(,)")), "expected an extent"},
      {"ProductOverflow", header(dict("<f4", "(4294967296, 4294967296)")), "product fits in 63 bits"},
      {"ProductOverflowTimesZero", header(dict("<f4", "(4294967296, 4294967296, 0)")), "product fits in 63 bits"},
      {"ProductOverflowToTheRightSize", header(dict("<f4", "(4611686018427387905,)")), "product fits in 63 bits"},
      {"Pickle", header(dict("|O", "(1,)")), "dtype object ('|O')"},
      {"Fields", header("{'descr': [('a', '<f4')]}"), "dtype with fields"},
      {"Complex", header(dict("<c8", "(1,)")), "dtype '<c8'"},
      {"Float128", header(dict("<f16", "(1,)")), "dtype '<f16'"},
      {"Float24", header(dict("<f3", "(1,)")), "dtype '<f3'"},
      {"Time", header(dict("<M8[s]", "(1,)")), "dtype '<M8[s]'"},
      {"Raw", header(dict("|V4", "(1,)")), "dtype '|V4'"},
      {"NoByteOrder", header(dict("|f4", "(1,)")), "dtype '|f4'"},
      {"NoWidth", header(dict("<f", "(1,)")), "dtype '<f'"},
      {"TextOfNothing", header(dict("<U0", "()")), "dtype '<U0'"},
      {"TextOf16GiB", header(dict("<U4294967296", "()")), "dtype '<U4294967296'"},
      {"ControlCharacters", header(dict("\x1b[2J\x07", "()")), "dtype '?[2J?'"},
      {"OneElementTooMany", file_of(dict("<f4", "(1,)"), four + four), "expected 4 bytes of elements, found 8"},
      {"OneByteTooFew", whole.substr(0, whole.size() - 1), "expected 4 bytes of elements, found 3"},
      {"ClaimsATerabyte", header(dict("<f4", "(274877906944,)")), "expected 1099511627776 bytes of elements, found 4"},
  };
  std::string many = "(";
  for (int axis = 0; axis < 33; ++axis) many += "1, ";
  all.push_back({"Axes33", header(dict("<f4", many + ")")), "more than 32 axes"});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Files, NpyHostile, testing::ValuesIn(hostile_files()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace assay::validation
