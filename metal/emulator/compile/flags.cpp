#include "metal/emulator/compile/flags.h"

#include <fmt/format.h>

namespace assay::metal::emulator {

namespace {

/// The folders that hold `folder`, the innermost first, without the root of the file system. Projects name headers from
/// their own root, `#include "project/kernels/utils.h"`, and the root is one of these folders.
std::vector<std::filesystem::path> folders_above(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> above;
  std::error_code ignored;
  std::filesystem::path at = std::filesystem::absolute(folder.empty() ? "." : folder, ignored).lexically_normal();
  for (at = at.parent_path(); at.has_relative_path(); at = at.parent_path()) above.push_back(at);
  return above;
}

}  // namespace

std::vector<std::string> preprocessing_flags(const CompileOptions& options, Purpose purpose,
                                             const std::filesystem::path& headers,
                                             const std::filesystem::path& folder) {
  std::vector<std::string> flags = {"-x",
                                    "c++",
                                    "-std=c++17",
                                    "-E",
                                    "-Wno-everything",
                                    "-Werror=invalid-token-paste",
                                    "-Werror=c23-extensions",  // #embed
                                    "-fno-crash-diagnostics",
                                    "-nostdinc",
                                    "-nostdinc++",
                                    "-isystem",
                                    headers.string(),
                                    "-include",
                                    (headers / "assay/shader.h").string(),
                                    "-D__METAL__=1",
                                    "-D__METAL_MACOS__=1",
                                    "-D__AIR64__=1"};
  flags.push_back(fmt::format("-D__METAL_VERSION__={}", options.language.metal_version));
  flags.push_back(fmt::format("-DASSAY_CHECKED={}", options.is_checked && purpose == Purpose::run ? 1 : 0));
  flags.push_back(fmt::format("-DASSAY_NUMERICS={}", options.with_numerics && purpose == Purpose::run ? 1 : 0));
  const bool has_mode = options.math_mode != MathMode::ieee && purpose == Purpose::run;
  flags.push_back(fmt::format("-DASSAY_ARITHMETIC={}", has_mode ? static_cast<int>(options.math_mode) : 0));
  if (has_mode) flags.push_back(fmt::format("-DASSAY_SEED={}ul", options.seed));
  const bool is_lint = purpose == Purpose::lint;
  flags.push_back(fmt::format("-DASSAY_LINT={}", is_lint || purpose == Purpose::overloads ? 1 : 0));
  flags.push_back(fmt::format("-DASSAY_COMPONENTS_ARE_VALUES={}", is_lint ? 1 : 0));
  flags.push_back(fmt::format("-DASSAY_NVPTX={}", purpose == Purpose::ptx ? 1 : 0));
  // Metal does not define these, and a shader's text could depend on them.
  for (const char* name : {"__linux__", "__unix__", "__gnu_linux__", "linux", "unix"})
    flags.push_back(fmt::format("-U{}", name));
  flags.push_back("-I" + (folder.empty() ? std::filesystem::path(".") : folder).string());
  for (const auto& more : options.language.folders) flags.push_back("-I" + more.string());
  for (const auto& above : folders_above(folder)) flags.push_back("-I" + above.string());
  flags.emplace_back("-");
  return flags;
}

namespace {

/// Results are to be the same everywhere: nothing is contracted, and half and bfloat are rounded after each operation.
const std::vector<std::string> common = {
    "-x",
    "c++",
    "-std=c++17",
    "-fdeclspec",
    "-w",
    "-Wno-c++11-narrowing",
    "-Wno-elaborated-enum-base",  // of NS_ENUM, as Xcode writes it for headers that host and shader share
    "-nostdinc",
    "-nostdinc++",
    "-fsigned-char",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-fno-caret-diagnostics",
    "-fno-color-diagnostics",
    "-fno-crash-diagnostics",  // they are files in the folder of temporary files
    "-ferror-limit=20",
    "-Xclang",
    "-ffloat16-excess-precision=none",
    "-Xclang",
    "-fbfloat16-excess-precision=none",
};

/// The same text in two folders has the same object: its line table holds neither. GPUs wrap integers; an optimiser
/// that assumes no overflow would hide an index that does. Large arrays of a thread's own must not reach beyond the
/// page that guards its stack.
const std::vector<std::string> to_processor = {
    "-gdwarf-4",  // which alone means all of -g2
    "-g1",
    "-fdebug-compilation-dir=.",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-math-errno",
    "-fwrapv",
    "-fstack-clash-protection",
#if defined(__x86_64__)
    "-march=native",
    "-mno-avx512bf16",  // this and the next two convert subnormal numbers to bfloat 0
    "-mno-avxneconvert",
    "-mno-avx10.1-256",
    "-mno-apxf",  // switch_context() does not save its registers
#else
    "-mcpu=native",
#endif
};

/// A processor may refuse a division by zero, and an optimiser may assume that undefined operations do not happen.
const std::vector<std::string> defined_integers = {"-fsanitize=integer-divide-by-zero,shift-exponent",
                                                   "-fno-sanitize-recover=integer-divide-by-zero,shift-exponent",
                                                   "-fno-sanitize-link-runtime"};

/// Calls of these hooks in two places must not be merged, since they have two source positions.
const std::vector<std::string> unmerged_integer_hooks = {
    "-mllvm", "-force-attribute=__ubsan_handle_divrem_overflow_abort:nomerge",
    "-mllvm", "-force-attribute=__ubsan_handle_shift_out_of_bounds_abort:nomerge",
    "-mllvm", "-force-attribute=assay_undefined_shift:nomerge",
    "-mllvm", "-force-attribute=assay_index_outside:nomerge"};

/// For bitcode on standard input, in which the effects of most other flags are fixed already.
const std::vector<std::string> from_bitcode = {"-x", "ir", "-w", "-fPIC", "-fno-crash-diagnostics"};

/// The liberties that the mode gives the compiler: Metal Shading Language Specification, section 1.6.3.
std::vector<std::string> permissions(MathMode mode) {
  if (mode == MathMode::ieee) return {"-ffp-contract=off"};
  if (mode == MathMode::safe) return {"-ffp-contract=on"};
  std::vector<std::string> flags = {"-ffp-contract=fast", "-fassociative-math", "-freciprocal-math",
                                    "-fno-signed-zeros", "-fno-trapping-math"};
  if (mode == MathMode::fast) flags.emplace_back("-ffinite-math-only");
  return flags;
}

/// The permissions that bitcode needs as flags: its operations state the others.
std::vector<std::string> contraction(MathMode mode) {
  return {permissions(mode).front()};
}

const std::vector<std::string> to_bitcode = {"-c", "-emit-llvm"};

const std::vector<std::string> to_text = {"-S", "-emit-llvm", "-fno-discard-value-names"};

const char* const counted_blocks = "-fsanitize-coverage=bb,no-prune,trace-pc";

/// Prepares for an optimiser that runs later. A tail call of a hook would lose the caller's source position. The
/// sanitizers are named so that this step marks the functions that they must leave alone.
const std::vector<std::string> unoptimised = {"-O2",
                                              "-Xclang",
                                              "-disable-llvm-passes",
                                              "-fno-optimize-sibling-calls",
                                              "-fno-finite-loops",  // an endless loop that does nothing must stay
                                              counted_blocks,
                                              "-fsanitize=thread,array-bounds",
                                              "-fstrict-flex-arrays=2",
                                              "-fsanitize-recover=array-bounds"};

const std::vector<std::string> hooked = {
    "-O0",    "-fsanitize=thread",          "-mllvm", "-tsan-instrument-func-entry-exit=0",
    "-mllvm", "-tsan-instrument-atomics=0", "-mllvm", "-tsan-instrument-read-before-write=1"};

/// Calls of hooks in two branches must not be merged, since they have two source positions. Blocks are counted when they
/// are optimised: there are less than half as many then, and counts keep the optimiser from most of what it does.
const std::vector<std::string> optimised = {"-O1", counted_blocks, "-mllvm", "-force-attribute=nomerge"};

const std::vector<std::string> to_object = {"-c"};

CompilingStep step(std::initializer_list<std::vector<std::string>> parts, std::filesystem::path output) {
  CompilingStep step;
  for (const auto& part : parts) step.flags.insert(step.flags.end(), part.begin(), part.end());
  step.flags.insert(step.flags.end(), {"-o", output.string(), "-"});
  step.output = std::move(output);
  return step;
}

/// A step of its own, in which clang starts a linker. In the others clang compiles without another process, which would
/// go on when clang is killed.
CompilingStep linking(const std::filesystem::path& compiled, std::filesystem::path library) {
  return {{"-shared", "-nostdlib++", compiled.string(), "-lm", "-o", library.string()}, std::move(library)};
}

}  // namespace

std::vector<CompilingStep> compiling_steps(const CompileOptions& options, const std::filesystem::path& object) {
  const std::filesystem::path plain = object.string() + ".plain", with_hooks = object.string() + ".hooked",
                              compiled = object.string() + ".o";
  if (!options.is_checked)
    return {step({common, to_processor, defined_integers, unmerged_integer_hooks, to_object, {"-O3"}}, compiled),
            linking(compiled, object)};
  const bool is_text = options.with_numerics || options.math_mode >= MathMode::relaxed;
  CompilingStep first = step({common, to_processor, permissions(options.math_mode), unoptimised, defined_integers,
                              is_text ? to_text : to_bitcode},
                             plain);
  first.is_rewritten = is_text;
  const auto contract = contraction(options.math_mode);
  return {first, step({from_bitcode, contract, hooked, to_bitcode}, with_hooks),
          step({from_bitcode, contract, to_object, optimised}, compiled), linking(compiled, object)};
}

std::vector<std::string> disassembling_flags() {
  return step({{"-x", "ir", "-w", "-fno-crash-diagnostics", "-fno-discard-value-names"},
               to_text,
               {"-Xclang", "-disable-llvm-passes"}},
              "-")
      .flags;
}

std::vector<std::string> assembling_flags(const std::filesystem::path& output, const std::string& target) {
  auto flags = step({from_bitcode, to_bitcode, {"-Xclang", "-disable-llvm-passes"}}, output).flags;
  if (!target.empty()) flags.insert(flags.begin(), "--target=" + target);
  return flags;
}

void link_module(CompilingStep& first, const std::filesystem::path& bitcode) {
  // As CUDA's libdevice: clang gives the module's functions the attributes of its own, the processor's features above all.
  first.flags.insert(first.flags.begin(), {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", bitcode.string()});
}

namespace {

/// The flags of the first step that say how it reads its text, not what it makes of it.
std::vector<std::string> reading_flags(const CompilingStep& first) {
  std::vector<std::string> flags(first.flags.begin(), first.flags.end() - 3);  // -o FILE -
  for (const char* made : {"-c", "-S", "-emit-llvm", "-w"}) std::erase(flags, made);
  return flags;
}

}  // namespace

std::vector<std::string> precompiling_flags(const CompilingStep& first, const std::filesystem::path& output) {
  std::vector<std::string> flags = reading_flags(first);
  flags.insert(flags.end(), {"-w", "-x", "c++-header", "-o", output.string(), "-"});
  return flags;
}

void include_precompiled(CompilingStep& first, const std::filesystem::path& library) {
  first.flags.insert(first.flags.begin(), {"-include-pch", library.string()});
}

CompilingStep ptx_step(const std::string& architecture, const std::filesystem::path& output) {
  // With errno, clang calls the functions of assay/nvptx/libm.h where it would else need a library of the device's.
  // Calls are inlined, as Metal's compiler does: an array in registers cannot be passed to a function.
  return step(
      {common,
       {std::string("--target=") + ptx_target, "-march=" + architecture, "-Xclang", "-target-feature", "-Xclang",
        "+ptx78", "-ffreestanding", "-fmath-errno", "-mllvm", "-inline-threshold=20000", "-O3", "-S"}},
      output);
}

std::vector<std::string> analysis_flags(const CompilingStep& first, bool with_analyzer) {
  std::vector<std::string> flags = reading_flags(first);
  // Metal has no arrays of variable length.
  flags.insert(flags.end(), {"-fsyntax-only", "-Wno-everything", "-Wuninitialized", "-Wsometimes-uninitialized",
                             "-Werror=vla", "-"});
  for (const char* flag :
       {"-analyze", "-analyzer-output=text",
        "-analyzer-checker=core.uninitialized,core.UndefinedBinaryOperatorResult,core.CallAndMessage",
        "-analyzer-config", "max-nodes=20000"})
    if (with_analyzer) flags.insert(flags.end(), {"-Xclang", flag});
  return flags;
}

std::vector<std::string> constructor_flags(const CompilingStep& first) {
  std::vector<std::string> flags = reading_flags(first);
  flags.insert(flags.end(), {"-fsyntax-only", "-Wno-everything", "-Werror=global-constructors", "-"});
  return flags;
}

std::vector<std::string> linting_flags() {
  // Pointers of OpenCL C++ have address spaces, as in Metal; a pointer without one can point to all.
  return {"-x",
          "clcpp",
          "-cl-std=clc++2021",
          "-cl-no-stdinc",
          "-cl-ext=+cl_khr_fp16,+__cl_clang_function_pointers",
          "-fdeclspec",
          "-fsyntax-only",
          "-w",
          "-Wno-c++11-narrowing",
          "-Wno-elaborated-enum-base",
          "-fno-caret-diagnostics",
          "-fno-color-diagnostics",
          "-fno-crash-diagnostics",
          "-ferror-limit=0",
          "-"};
}

std::vector<std::string> overload_flags() {
  std::vector<std::string> flags = linting_flags();
  std::erase(flags, "-w");
  flags.insert(flags.begin(), {"-Wno-everything", "-Wuser-defined-warnings"});
  return flags;
}

}  // namespace assay::metal::emulator
