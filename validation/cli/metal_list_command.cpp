// assay metal list FILE: the kernels of a shader or of a compiled library, and their arguments.
#include <memory>
#include <optional>
#include <stdexcept>

#include "metal/emulator/compile/library_path.h"
#include "validation/cli/commands.h"
#include "validation/core/filter.h"
#include "validation/core/terminal.h"
#include "validation/report/report_file.h"
#include "validation/shader/library_listing.h"
#include "validation/shader/listing.h"

namespace assay::validation {
namespace {

struct ListOptions {
  std::string file, kernel, filter, json;
};

LibraryListing listing_of(const ListOptions& options) {
  if (metal::emulator::is_library_file(options.file)) {
    if (!options.kernel.empty())
      return list_library(options.file, [&](const std::string& name) { return name == options.kernel; });
    if (options.filter.empty()) return list_library(options.file);
    const Filter filter(options.filter);
    return list_library(options.file, [&](const std::string& name) { return filter.matches(name); });
  }
  if (!options.kernel.empty() || !options.filter.empty())
    throw std::invalid_argument(options.file + ": expected a compiled library for --kernel and --filter");
  ShaderScript script;
  script.source = options.file;
  return {list_shader(script), options.json.empty() ? "" : list_shader_as_json(script)};
}

int list(const ListOptions& options) {
  const LibraryListing listing = listing_of(options);
  tell("{}", listing.text);
  if (!options.json.empty()) write_atomically(options.json, listing.json);
  return 0;
}

}  // namespace

void add_metal_list_command(CLI::App& metal, Action& action) {
  auto* command = metal.add_subcommand("list", "The kernels of a shader or of a compiled library, and their arguments");
  const auto options = std::make_shared<ListOptions>();
  command
      ->add_option("file", options->file, "A .metal file, a .metallib, or a program or wheel that has libraries in it")
      ->required();
  auto* kernel = command->add_option("--kernel", options->kernel, "Of a library: this kernel, with its arguments");
  command
      ->add_option("--filter", options->filter,
                   "Of a library: the kernels whose names this regular expression is found in, with their arguments")
      ->excludes(kernel);
  command->add_option("--json", options->json, "Also write the listing to this file");
  command->footer("Of a library, which may have thousands of kernels, only names are listed if nothing is chosen.");
  command->callback([&action, options] { action = [options] { return list(*options); }; });
}

}  // namespace assay::validation
