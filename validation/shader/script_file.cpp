#include "validation/shader/script_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "validation/transport/declaration/binding_node.h"
#include "validation/transport/declaration/shader_keys.h"

namespace assay::validation {

namespace {

using transport::BindingNode;

constexpr std::int64_t max_extent = (std::int64_t{1} << 32) - 1, max_offset = std::int64_t{1} << 36;

std::uint64_t whole(const BindingNode& node, std::int64_t lowest, std::int64_t highest) {
  return static_cast<std::uint64_t>(node.integer(lowest, highest));
}

std::uint32_t index_of(const BindingNode& node, std::uint32_t highest) {
  return static_cast<std::uint32_t>(node.at("index").integer(0, highest));
}

metal::Size size_of(const BindingNode& node) {
  const auto extents = node.list();
  if (extents.empty() || extents.size() > 3) node.refuse("one to three extents");
  metal::Size size;
  std::uint64_t* const to[] = {&size.width, &size.height, &size.depth};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) *to[axis] = whole(extents[axis], 1, max_extent);
  return size;
}

/// Calls `add` with each entry of a list of the pass, which may be missing. Refuses an index that is there twice.
template <class Map, class Add>
void read_list(const BindingNode& pass, const std::string& key, std::uint32_t highest,
               const std::set<std::string>& keys, const Map& map, const Add& add) {
  const auto list = pass.find(key);
  if (!list) return;
  for (const BindingNode& entry : list->list()) {
    entry.expect_keys(keys);
    const std::uint32_t index = index_of(entry, highest);
    if (map.contains(index)) entry.at("index").refuse("an index that is not there twice");
    add(index, entry);
  }
}

using ArrayWords = std::map<std::string, std::string>;

ShaderBinding read_binding(const BindingNode& node, const ArrayWords& arrays) {
  const std::string array = node.at("array").text();
  if (!arrays.contains(array)) node.at("array").refuse("the name of one of the arrays");
  const auto offset = node.find("offset");
  return {array, offset ? whole(*offset, 0, max_offset) : 0};
}

/// In threads, or the array with the number of threadgroups.
void read_extents(const BindingNode& node, const ArrayWords& arrays, ShaderPass& pass) {
  const auto threadgroups = node.find("threadgroups"), group = node.find("group");
  if (threadgroups && node.find("grid")) threadgroups->refuse("either threadgroups or grid");
  if (threadgroups) {
    threadgroups->expect_keys({"array", "offset"});
    pass.threadgroups = read_binding(*threadgroups, arrays);
    pass.group = size_of(node.at("group"));
    return;
  }
  pass.grid = size_of(node.at("grid"));
  pass.group = group ? size_of(*group) : metal::Size{std::min<std::uint64_t>(pass.grid.width, 256), 1, 1};
}

ShaderPass read_pass(const BindingNode& node, const ArrayWords& arrays) {
  node.expect_keys({"function", "grid", "threadgroups", "group", "buffers", "textures", "samplers",
                    "threadgroup_memory", "constants"});
  ShaderPass pass;
  if (const auto function = node.find("function")) pass.function = function->text();
  read_extents(node, arrays, pass);
  read_list(node, "buffers", transport::max_buffer_index, {"index", "array", "offset"}, pass.buffers,
            [&](std::uint32_t index, const auto& entry) { pass.buffers[index] = read_binding(entry, arrays); });
  read_list(node, "textures", transport::max_texture_index, {"index", "array"}, pass.textures,
            [&](std::uint32_t index, const auto& entry) { pass.textures[index] = read_binding(entry, arrays).array; });
  read_list(node, "samplers", transport::max_sampler_index, {"index", "sampler"}, pass.samplers,
            [&](std::uint32_t index, const auto& entry) { pass.samplers[index] = entry.at("sampler").text(); });
  read_list(node, "threadgroup_memory", transport::max_buffer_index, {"index", "bytes"}, pass.threadgroup,
            [&](std::uint32_t index, const auto& entry) {
              pass.threadgroup[index] = whole(entry.at("bytes"), 1, max_offset);
            });
  read_list(node, "constants", transport::max_constant_index, {"index", "value"}, pass.constants,
            [&](std::uint32_t index, const auto& entry) { pass.constants[index] = entry.at("value").word(); });
  return pass;
}

/// The words with the path in them, if there is one, relative to `folder`.
std::string in_folder(const std::filesystem::path& folder, const std::string& words) {
  if (words.starts_with("file:")) return "file:" + (folder / words.substr(5)).string();
  return words.ends_with(".npy") ? (folder / words).string() : words;
}

}  // namespace

ShaderScript read_script(const std::filesystem::path& path) {
  const BindingNode node = BindingNode::read(path);
  const std::filesystem::path folder = path.parent_path();
  node.expect_keys({"source", "metal_version", "macros", "seed", "step_limit", "arrays", "passes", "outputs"});
  ShaderScript script;
  script.language = transport::read_language(node);
  if (const auto seed = node.find("seed")) script.seed = whole(*seed, 0, std::int64_t{1} << 53);
  if (const auto limit = node.find("step_limit")) script.step_limit = whole(*limit, 1, std::int64_t{1} << 53);
  for (const auto& [name, words] : node.at("arrays").members()) script.arrays[name] = in_folder(folder, words.word());
  for (const BindingNode& pass : node.at("passes").list()) script.passes.push_back(read_pass(pass, script.arrays));
  if (script.passes.empty()) node.at("passes").refuse("at least one pass");
  if (const auto outputs = node.find("outputs"))
    for (const auto& [name, file] : outputs->members()) {
      if (!file.text().ends_with(".npy")) file.refuse("the path of a .npy file");
      script.outputs[name] = folder / file.text();
    }
  script.source = transport::read_source(node, folder);
  return script;
}

}  // namespace assay::validation
