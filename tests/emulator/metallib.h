// Makes compiled libraries as Apple's tools do: kernels in LLVM's text, which clang assembles, behind a list of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "metal/device/or_throw.h"
#include "metal/device/read_file.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/flags.h"

namespace assay::metal::emulator::test {

inline std::string assembled(const std::string& text) {
  const auto folder = or_throw(temporary_files().and_then(TemporaryFolder::make));
  const std::filesystem::path input = folder.path() / "text", output = folder.path() / "bitcode";
  or_throw(write_file(input, text));
  const auto run = or_throw(run_clang(or_throw(find_clang()), assembling_flags(output), input, {}));
  if (run.status != 0) throw std::runtime_error(run.messages);
  return or_throw(read_file(output));
}

template <class T>
void append_number(std::string& bytes, T value) {
  for (std::size_t n = 0; n < sizeof(T); ++n) bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * n));
}

inline std::string tag(const std::string& name, const std::string& data) {
  std::string bytes = name;
  append_number(bytes, static_cast<std::uint16_t>(data.size()));
  return bytes + data;
}

/// A library of kernels by their names, with bitcode.
inline std::string metallib(const std::vector<std::pair<std::string, std::string>>& kernels) {
  std::string list, code;
  for (const auto& [name, bitcode] : kernels) {
    std::string offsets(16, '\0'), bytes, versions;
    append_number(offsets, std::uint64_t{code.size()});
    append_number(bytes, std::uint64_t{bitcode.size()});
    for (const int number : {2, 6, 3, 1}) append_number(versions, static_cast<std::uint16_t>(number));
    const std::string entry = tag("NAME", name + '\0') + tag("TYPE", "\2") + tag("OFFT", offsets) + tag("MDSZ", bytes) +
                              tag("VERS", versions) + "ENDT";
    append_number(list, static_cast<std::uint32_t>(entry.size() + 4));
    list += entry;
    code += bitcode;
  }
  std::string file("MTLB\x01\x80\x02\0\x07\0\0\x81\x0e\0\0\0", 16);  // for macOS 14.0
  constexpr std::uint64_t header = 88;
  append_number(file, header + 4 + list.size() + code.size());
  for (const std::uint64_t number : {header, std::uint64_t{list.size()}, header, std::uint64_t{0}, header,
                                     std::uint64_t{0}, header + 4 + list.size(), std::uint64_t{code.size()}})
    append_number(file, number);
  append_number(file, static_cast<std::uint32_t>(kernels.size()));
  return file + list + code;
}

/// The text of a module with a kernel `k` of 128 threads in groups of 64: buffer(0) `in` and buffer(1) `out`, of float,
/// %i in the grid, %tid in the threadgroup, and the threadgroup variable `shared` of 64 floats.
inline std::string air_module(const std::string& body, const std::string& more = "") {
  return R"(target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-n8:16:32"
target triple = "air64_v26-apple-macosx14.0.0"
@_ZZ1kE6shared = internal addrspace(3) global [64 x float] undef, align 4
define weak_odr void @k(ptr addrspace(1) noundef "air-buffer-no-alias" %in, ptr addrspace(1) noundef %out, i32 noundef %i, i32 noundef %tid) local_unnamed_addr #0 {
  %at.in = getelementptr inbounds float, ptr addrspace(1) %in, i32 %i
  %at.out = getelementptr inbounds float, ptr addrspace(1) %out, i32 %i
  %at.shared = getelementptr inbounds [64 x float], ptr addrspace(3) @_ZZ1kE6shared, i64 0, i32 %tid
)" + body +
         R"(
  ret void
}
declare void @air.wg.barrier(i32, i32) #1
declare float @air.simd_sum.f32(float) #1
declare float @air.simd_shuffle_xor.f32(float, i16) #1
declare float @air.log.f32(float)
declare i32 @air.atomic.global.add.u.i32(ptr addrspace(1) nocapture, i32, i32, i32, i1)
)" + more +
         R"(
attributes #0 = { convergent mustprogress nounwind "no-builtins" }
attributes #1 = { convergent nounwind }
!air.kernel = !{!0}
!air.version = !{!9}
!air.compile_options = !{!10}
!0 = !{ptr @k, !1, !2}
!1 = !{}
!2 = !{!3, !4, !5, !6}
!3 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"in"}
!4 = !{i32 1, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"out"}
!5 = !{i32 2, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"i"}
!6 = !{i32 3, !"air.thread_position_in_threadgroup", !"air.arg_type_name", !"uint", !"air.arg_name", !"tid"}
!9 = !{i32 2, i32 6, i32 0}
!10 = !{!"air.compile.fast_math_disable"}
)";
}

/// A file with the library, removed when it goes out of scope.
class LibraryFile {
 public:
  explicit LibraryFile(const std::string& bytes, const std::string& name = "test.metallib")
      : folder_(or_throw(temporary_files().and_then(TemporaryFolder::make))), path_(folder_.path() / name) {
    or_throw(write_file(path_, bytes));
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

}  // namespace assay::metal::emulator::test
