// Libraries in zip archives, as the wheels of Python's packages have them: found, named, chosen, and what is damaged.
#include <gtest/gtest.h>
#include <zip.h>

#include <random>

#include "metal/emulator/compile/compiled_kernel.h"
#include "metal/emulator/compile/library_path.h"
#include "tests/emulator/metallib.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

/// The bytes of a zip archive with these files.
std::string zipped(const Files& files) {
  const auto folder = or_throw(temporary_files().and_then(TemporaryFolder::make));
  const std::filesystem::path path = folder.path() / "archive";
  zip_t* const zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  if (zip == nullptr) throw std::runtime_error("zip_open");
  for (const auto& [name, bytes] : files) {
    zip_source_t* const source = zip_source_buffer(zip, bytes.data(), bytes.size(), 0);
    if (zip_file_add(zip, name.c_str(), source, ZIP_FL_ENC_UTF_8) < 0) throw std::runtime_error("zip_file_add");
  }
  if (zip_close(zip) != 0) throw std::runtime_error("zip_close");
  return or_throw(read_file(path));
}

std::string program_of(const std::string& one, const std::string& other) {
  return "\xcf\xfa\xed\xfe some code" + one + "between" + other;
}

/// Two libraries, both with `shared`, and files that have none.
std::string wheel() {
  return zipped({{"README.md", "MTLB is how they begin"},
                 {"lib/empty.dylib", "\xcf\xfa\xed\xfe no library"},
                 {"lib/kernels.dylib", program_of(metallib({{"shared", "ONE"}, {"first", "A"}}),
                                                  metallib({{"shared", "TWO"}, {"second", "B"}}))}});
}

std::string archive_refusal(const std::string& bytes, const std::string& name = "x.whl") {
  const LibraryFile file(bytes, name);
  const auto libraries = libraries_in(file.path());
  return libraries ? std::string() : libraries.error().text;
}

TEST(Archive, HasItsLibrariesWithTheirFilesAndNumbers) {
  const LibraryFile file(wheel(), "x.whl");
  EXPECT_TRUE(is_library_file(file.path()));
  const auto libraries = or_throw(libraries_in(file.path()));
  ASSERT_THAT(libraries, SizeIs(2));
  EXPECT_EQ(libraries[0].member, "lib/kernels.dylib");
  EXPECT_EQ(libraries[1].path, file.path().string() + "#2");
  EXPECT_EQ(to_string(libraries[1]), file.path().string() + "#2 (macOS 14.0, 2 kernels, in lib/kernels.dylib)");
  const auto kernel = or_throw(find_kernel(file.path(), "second"));
  EXPECT_EQ(or_throw(bitcode_of(file.path(), kernel)), "B");
  const std::string second = file.path().string() + "#2";
  EXPECT_EQ(or_throw(bitcode_of(second, or_throw(find_kernel(second, "shared")))), "TWO");
}

TEST(Archive, AsksWhichLibraryIsMeant) {
  const LibraryFile file(wheel(), "x.whl");
  const Error twice = find_kernel(file.path(), "shared").error();
  EXPECT_EQ(twice.kind, Error::Kind::argument);
  EXPECT_THAT(twice.text, HasSubstr("2 of its libraries have a kernel shared, expected one of "));
  EXPECT_THAT(twice.text, HasSubstr("x.whl#2 (macOS 14.0, 2 kernels, in lib/kernels.dylib)"));
  EXPECT_THAT(libraries_in(file.path().string() + "#3").error().text, HasSubstr("it has 2 libraries, expected one of"));
  EXPECT_EQ(find_kernel(file.path(), "third").error().kind, Error::Kind::not_found);
}

TEST(Archive, IsReadAgainIfItHasChanged) {
  const LibraryFile file(zipped({{"a.metallib", metallib({{"first", "A"}})}}), "x.zip");
  EXPECT_TRUE(find_kernel(file.path(), "first").has_value());
  or_throw(write_file(file.path(), zipped({{"a.metallib", metallib({{"other", "A"}, {"more", "B"}})}})));
  EXPECT_TRUE(find_kernel(file.path(), "other").has_value());
}

TEST(Archive, IsRefusedByWhatIsDamaged) {
  const std::string whole = wheel();
  EXPECT_THAT(archive_refusal(whole.substr(0, whole.size() / 2)), HasSubstr("x.whl': expected a zip archive"));
  EXPECT_THAT(archive_refusal("kernel void k() {}"), HasSubstr("expected a zip archive"));
  EXPECT_THAT(archive_refusal(zipped({{"a.py", "import b"}})),
              HasSubstr("expected a .metallib, or a program that has libraries "
                        "in it, among its 1 files"));
  EXPECT_THAT(archive_refusal(zipped({{"a.metallib", "MTLB and no more"}})),
              HasSubstr("a.metallib: the library at byte 0"));
  const std::string one = zipped({{"a.metallib", metallib({{"k", std::string(200, 'k')}})}});
  std::string changed = one;
  const std::size_t data = changed.find("a.metallib") + 30;
  changed[data] = static_cast<char>(changed[data] ^ 0x55);
  EXPECT_THAT(archive_refusal(changed), HasSubstr("a.metallib: "));
  EXPECT_EQ(archive_refusal(one), "");
}

TEST(Archive, OfNoZipIsAShadersSource) {
  const LibraryFile file("kernel void k() {}", "x.metal");
  EXPECT_FALSE(is_library_file(file.path()));
}

TEST(Archive, NeverCrashesWhereItIsDamaged) {
  const std::string whole = wheel();
  std::mt19937 random(1);
  int refused = 0;
  for (int n = 0; n < 200; ++n) {
    std::string text = whole;
    for (int k = 0; k <= n % 4; ++k) text[random() % text.size()] = static_cast<char>(random());
    if (n % 5 == 0) text.resize(random() % text.size());
    EXPECT_NO_THROW(refused += archive_refusal(text).empty() ? 0 : 1) << n;
  }
  EXPECT_GT(refused, 40);
}

}  // namespace
}  // namespace assay::metal::emulator::test
