// Compiles kernels of a compiled library for NVIDIA GPUs: ptx_of_library FILE ARCHITECTURE FOLDER < NAMES
//
// Of each name on standard input it prints a line of JSON: the name, and either the file in FOLDER with its PTX, the limit
// of threads and the arguments, or why it is refused. apple_on_nvidia.py runs this.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "metal/emulator/compile/compiled_kernel.h"
#include "metal/nvidia/ptx.h"

namespace {

using namespace assay::metal;

nlohmann::json listed(const emulator::air::KernelMetadata& kernel) {
  nlohmann::json arguments = nlohmann::json::array(), constants = nlohmann::json::array();
  for (const auto& one : kernel.arguments) {
    nlohmann::json fields = nlohmann::json::array();
    for (const auto& field : one.fields)
      fields.push_back({{"name", field.name}, {"type", field.type}, {"offset", field.offset}, {"bytes", field.bytes}});
    arguments.push_back({{"name", one.name},
                         {"type", one.type},
                         {"kind", static_cast<int>(one.kind)},
                         {"index", one.index},
                         {"bytes", one.bytes},
                         {"written", one.is_written},
                         {"fields", fields}});
  }
  for (const auto& one : kernel.constants) constants.push_back({{"index", one.index}, {"name", one.name}});
  return {{"arguments", arguments}, {"constants", constants}};
}

nlohmann::json compiled(const std::filesystem::path& file, const std::string& name, const std::string& architecture,
                        const std::filesystem::path& target) {
  emulator::CompileOptions options;
  options.is_checked = false;
  options.kernels = {name};
  const auto ptx = nvidia::compile_ptx_of_library(file, options, architecture);
  if (!ptx) return {{"kernel", name}, {"refused", ptx.error().text}};
  const auto kernel = emulator::read_kernel(file, options.kernels, emulator::air::Target::nvidia);
  if (!kernel) return {{"kernel", name}, {"refused", kernel.error().text}};
  std::ofstream(target) << nvidia::with_thread_limits(*ptx, {kernel->metadata.max_threads});
  nlohmann::json made = listed(kernel->metadata);
  made["kernel"] = name;
  made["ptx"] = target.filename().string();
  return made;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: ptx_of_library FILE ARCHITECTURE FOLDER < NAMES\n";
    return 2;
  }
  const std::filesystem::path folder = arguments[3];
  std::size_t n = 0;
  for (std::string name; std::getline(std::cin, name);)
    std::cout << compiled(arguments[1], name, arguments[2], folder / fmt::format("{}.ptx", n++)).dump() << '\n'
              << std::flush;
}
