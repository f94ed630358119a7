#include "validation/shader/instantiate.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <utility>

#include "validation/shader/contents.h"
#include "validation/shader/document_passes.h"
#include "validation/shader/scalar.h"

namespace assay::validation {
namespace {

constexpr std::int64_t max_passes = 1'000'000, any_integer = std::int64_t{1} << 53;

class Unrolling {
 public:
  Unrolling(const ShaderDocument& document, const MetalVariables& variables, std::map<std::string, ShaderArray> arrays)
      : document_(document), variables_(variables), script_(document.script) {
    script_.given = std::move(arrays);
  }

  ShaderScript script() {
    if (document_.step_limit)
      script_.step_limit = static_cast<std::uint64_t>(document_.step_limit->integer(variables_, 1, any_integer));
    for (const auto& [name, one] : document_.scratch) {
      const auto size = static_cast<std::int64_t>(scalar_size(one.type));
      script_.given[name] = {one.type, {one.elements.integer(variables_, lowest(), max_bytes_of_array / size)}};
      script_.given[name].type_key = fmt::format("scratch.{}.type", name);
    }
    for (const auto& [name, value] : document_.fill)
      if (const auto found = script_.given.find(name); found != script_.given.end()) fill(found->second, value);
    add(document_.passes);
    std::erase_if(script_.arrays, [&](const auto& one) {  // those that only passes take which are left out
      return document_.uses(one.first) && !taken_.contains(one.first);
    });
    return std::move(script_);
  }

 private:
  /// 0 leaves a pass out, but in a file of its own arrays it is a mistake.
  std::int64_t lowest() const { return document_.has_operation ? 0 : 1; }

  void fill(ShaderArray& array, const MetalExpression& value) const {
    if (const std::uint64_t most = quarter_of_memory(); array.length() > most)
      throw std::runtime_error(fmt::format("{}: {} bytes: expected at most {}, a quarter of this machine's memory",
                                           value.where(), array.length(), most));
    const auto element = scalar_bytes(array.scalar, text_of(value, array.scalar, variables_));
    auto& bytes = array.bytes.emplace(array.length());
    for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = element[at % element.size()];
  }

  void add(const std::vector<DocumentPass>& passes) {
    for (const DocumentPass& pass : passes) repeat(pass);
  }

  void repeat(const DocumentPass& pass) {
    if (!pass.repeat) return once(pass);
    const DocumentRepeat& repeat = *pass.repeat;
    const auto from = static_cast<double>(repeat.from.integer(variables_, -any_integer, any_integer)),
               step = static_cast<double>(repeat.step.integer(variables_, -any_integer, any_integer));
    const std::int64_t times = repeat.times.integer(variables_, 0, max_passes);
    for (std::int64_t i = 0; i < times; ++i) {
      variables_[repeat.variable] = from + static_cast<double>(i) * step;
      once(pass);
    }
    variables_.erase(repeat.variable);
  }

  void once(const DocumentPass& pass) {
    if (++passes_ > max_passes)
      throw std::runtime_error(
          fmt::format("{}: expected at most {} passes, repeated ones with them", pass.where, max_passes));
    if (pass.condition && pass.condition->number(variables_) == 0) return;
    pass.passes.empty() ? dispatch(pass) : add(pass.passes);
  }

  void dispatch(const DocumentPass& from) {
    const metal::Size grid = size_of(from.grid, variables_, lowest());
    if (grid.is_empty()) return;
    ShaderPass& pass = script_.passes.emplace_back(from.dispatch);
    pass.grid = grid;
    for (const auto& evaluate : from.rest) evaluate(pass, variables_);
    for (const auto& [index, binding] : pass.buffers) taken_.insert(binding.array);
    for (const auto& [index, array] : pass.textures) taken_.insert(array);
    if (pass.threadgroups) taken_.insert(pass.threadgroups->array);
  }

  const ShaderDocument& document_;
  MetalVariables variables_;  ///< those of the problem and of the repeats
  std::int64_t passes_ = 0;
  std::set<std::string> taken_;  ///< the arrays that passes take which are not left out
  ShaderScript script_;
};

void add_dispatches(const std::vector<DocumentPass>& passes, std::vector<ShaderPass>& to) {
  for (const DocumentPass& pass : passes) {
    if (!pass.passes.empty()) {
      add_dispatches(pass.passes, to);
    } else {
      to.push_back(pass.dispatch);
      to.back().threadgroups.reset();  // they are in an array whose size is not known yet
    }
  }
}

}  // namespace

ShaderScript instantiate(const ShaderDocument& document, const MetalVariables& variables,
                         std::map<std::string, ShaderArray> arrays) {
  for (const auto& [name, array] : arrays)
    if (array.length() > static_cast<std::uint64_t>(max_bytes_of_array))
      throw std::runtime_error(
          fmt::format("array {} of {} bytes: expected at most {}", name, array.length(), max_bytes_of_array));
  return Unrolling(document, variables, std::move(arrays)).script();
}

ShaderScript outline(const ShaderDocument& document) {
  ShaderScript script = document.script;
  const auto add = [&](const std::string& name, const std::string& type, const std::string& key) {
    script.given[name] = {type, {0}};
    script.given[name].type_key = key;
  };
  for (const auto& [name, type] : document.types) add(name, type, "types." + name);
  for (const auto& [name, one] : document.scratch) add(name, one.type, fmt::format("scratch.{}.type", name));
  add_dispatches(document.passes, script.passes);
  return script;
}

ShaderScript read_script(const std::filesystem::path& path, const MetalVariables& extents) try {
  const ShaderDocument document = read_document(path, extents);
  return instantiate(document, document.extents);
} catch (const std::runtime_error& problem) {
  throw std::invalid_argument(problem.what());
}

}  // namespace assay::validation
