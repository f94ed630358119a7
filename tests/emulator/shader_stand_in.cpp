#include "shader_stand_in.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <mutex>
#include <stdexcept>

#include "metal/device/joined_threads.h"
#include "metal/device/read_file.h"
#include "metal/emulator/compile/files.h"

namespace assay::metal::emulator::test {

namespace {

thread_local std::uint32_t current_lane = 0;

/// 32 lanes, one OS thread each, all of which take part in every barrier and collective.
struct Group {
  std::barrier<> barrier{32};
  std::array<char, 32UL * 64> brought{};
  std::map<const void*, std::vector<char>> threadgroup_memory;
  std::mutex mutex;
};
Group* group = nullptr;

void access(const void* address, std::uint64_t bytes, abi::Access kind, const void* /*pc*/) {
  calls().accesses.push_back({address, bytes, kind});
}

void read_word(const void* address, const void* pc) {
  access(address, 4, abi::Access::read, pc);
}

void write_word(const void* address, const void* pc) {
  access(address, 4, abi::Access::write, pc);
}

void* aligned(std::vector<char>& memory) {
  return memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
}

void* threadgroup_variable(const void* key, std::uint64_t bytes, std::uint64_t /*align*/, const char* name) {
  if (group != nullptr) {
    const std::lock_guard lock(group->mutex);
    return aligned(group->threadgroup_memory.try_emplace(key, bytes + 64).first->second);
  }
  const auto [memory, is_new] = calls().threadgroup_memory.try_emplace(key, bytes + 64);
  if (is_new) calls().threadgroup_names.emplace_back(name);
  return aligned(memory->second);
}

void fence(std::uint32_t /*flags*/, abi::MemoryOrder /*order*/, abi::FenceScope /*scope*/) {}

const abi::Position* position() {
  static thread_local abi::Position position{};
  position.thread_index_in_simdgroup = current_lane % abi::lanes_per_simdgroup;
  position.simdgroup_index_in_threadgroup = current_lane / abi::lanes_per_simdgroup;
  return &position;
}

void barrier(abi::Scope scope, std::uint32_t flags, const abi::Site* site) {
  if (group != nullptr) return group->barrier.arrive_and_wait();
  calls().barriers.push_back({scope, flags, site->line, site->column, site->file});
}

abi::ActiveLanes all_gather_of_group(abi::Scope scope, const void* mine, std::uint64_t bytes, void* all) {
  std::memcpy(group->brought.data() + bytes * current_lane, mine, bytes);
  group->barrier.arrive_and_wait();
  const bool is_quad = scope == abi::Scope::quadgroup;
  const std::uint32_t lanes = is_quad ? 4 : 32, first = is_quad ? current_lane / 4 * 4 : 0;
  std::memcpy(all, group->brought.data() + bytes * first, bytes * lanes);
  group->barrier.arrive_and_wait();
  return {is_quad ? 0xfU : 0xffffffffU, current_lane - first};
}

abi::ActiveLanes all_gather(abi::Scope scope, const void* mine, std::uint64_t bytes, void* all, const abi::Site* site) {
  if (group != nullptr) return all_gather_of_group(scope, mine, bytes, all);
  barrier(abi::Scope::simdgroup, 0, site);
  std::memset(all, 0, bytes);
  std::memcpy(static_cast<char*>(all) + bytes * current_lane, mine, bytes);
  return {std::uint64_t{1} << current_lane, current_lane};
}

void index_out_of_bounds(const abi::Site* site, std::uint64_t index, const char* /*type*/, std::uint64_t /*count*/,
                         const void* /*pc*/) {
  calls().out_of_bounds.push_back({site->file, site->line, index});
}

void blocks(std::uint64_t /*count*/, const void* /*pc*/) {}

void undefined_lane(abi::Scope /*scope*/, std::uint32_t /*lane*/, const abi::Site* /*site*/) {}

void leave(const abi::Site* /*site*/) {}

constexpr abi::Services services{&access,
                                 &read_word,
                                 &write_word,
                                 &threadgroup_variable,
                                 &fence,
                                 &position,
                                 &barrier,
                                 &all_gather,
                                 &undefined_lane,
                                 &leave,
                                 &index_out_of_bounds,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 &blocks,
                                 0,
                                 nullptr,
                                 0};

}  // namespace

bool Calls::has_access(const void* address, abi::Access kind, std::uint64_t bytes) const {
  return std::ranges::any_of(
      accesses, [&](const Access& one) { return one.address == address && one.kind == kind && one.bytes == bytes; });
}

Calls& calls() {
  static Calls all;
  return all;
}

CompileOptions options(bool is_checked) {
  static const TemporaryFolder cache = TemporaryFolder::make(std::filesystem::temp_directory_path()).value();
  CompileOptions options;
  options.is_checked = is_checked;
  options.cache = cache.path();
  return options;
}

std::shared_ptr<const CompiledShader> compile(std::string_view source, const CompileOptions& with) {
  const auto shader = compile_source(source, "test.metal", with);
  if (!shader) throw std::runtime_error(shader.error().text);
  (*shader)->shader().bind(&services);
  (*shader)->shader().constants_written();
  return *shader;
}

std::string refusal(std::string_view source, const CompileOptions& with) {
  const auto shader = compile_source(source, "test.metal", with);
  return shader ? "" : shader.error().text;
}

std::string shader_file(std::string_view name) {
  return read_file(std::filesystem::path(ASSAY_TEST_SHADERS) / name).value();
}

const abi::Function& function(const CompiledShader& shader, std::string_view name) {
  const abi::Shader& table = shader.shader();
  const auto* const end = table.functions + table.function_count;
  const auto* const found = std::find_if(table.functions, end, [&](const abi::Function& f) { return f.name == name; });
  if (found == end) throw std::runtime_error("there is no function " + std::string(name));
  return *found;
}

namespace {

void call(const CompiledShader& shader, std::string_view name, const std::vector<void*>& buffers, std::uint32_t lane) {
  current_lane = lane;
  std::array<void*, 31> bound{}, threadgroup{};
  std::ranges::copy(buffers, bound.begin());
  abi::Position position{};
  position.thread_position_in_grid[0] = position.thread_position_in_threadgroup[0] = lane;
  position.thread_index_in_threadgroup = position.thread_index_in_simdgroup = lane;
  position.threads_per_simdgroup = 32;
  const abi::Invocation invocation{bound.data(), threadgroup.data(), nullptr, nullptr, &position};
  function(shader, name).entry(&invocation);
}

}  // namespace

void run(const CompiledShader& shader, std::string_view name, const std::vector<void*>& buffers, std::uint32_t lane) {
  calls() = {};
  call(shader, name, buffers, lane);
}

void run_simdgroup(const CompiledShader& shader, std::string_view name, const std::vector<void*>& buffers) {
  Group lanes;
  group = &lanes;
  {
    JoinedThreads threads;
    for (std::uint32_t lane = 0; lane < 32; ++lane) threads.add([&, lane] { call(shader, name, buffers, lane); });
  }
  group = nullptr;
}

}  // namespace assay::metal::emulator::test
