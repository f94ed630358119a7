#include "validation/cli/metal_serve.h"

#include <cstdint>
#include <exception>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <vector>

#include "validation/cli/run_program.h"
#include "validation/core/followed_run.h"
#include "validation/transport/metal/shader.h"

namespace assay::validation {
namespace {

using nlohmann::json;
using transport::MetalCall;
using transport::MetalShader;

ShaderInterface interface_from(const json& said) {
  ShaderInterface interface{said.at("operation"), said.at("variables"), {}};
  for (const auto& one : said.at("arrays"))
    interface.arrays.push_back({one.at("name"), one.at("type"), one.at("is_output")});
  return interface;
}

struct NamedArray {
  std::string name;
  std::vector<double> elements;
};

std::vector<NamedArray> arrays_from(const json& said, double filled) {
  std::vector<NamedArray> arrays;
  for (const auto& one : said) arrays.push_back({one.at(0), std::vector<double>(one.at(1).get<std::size_t>(), filled)});
  return arrays;
}

std::streamsize bytes_of(const NamedArray& array) {
  return static_cast<std::streamsize>(array.elements.size() * sizeof(double));
}

/// The outputs of a call of the shader; elements that the shader does not write are NaN.
std::vector<NamedArray> answered(const MetalShader& shader, const json& said, const std::vector<NamedArray>& inputs) {
  MetalCall call(shader.binding());
  for (const auto& [name, value] : said.at("variables").items()) call.set(name, value.get<double>());
  for (const auto& one : inputs) call.input(one.name, std::span<const double>(one.elements));
  auto outputs = arrays_from(said.at("outputs"), std::numeric_limits<double>::quiet_NaN());
  for (auto& one : outputs) call.output(one.name, one.elements.size(), std::span<double>(one.elements));
  shader.run(call);
  return outputs;
}

void say(std::ostream& out, const std::string& status, const std::string& what = "") {
  json said = {{"status", status}};
  if (!what.empty()) said["says"] = what;
  out << said.dump() << '\n';
}

void write_residues(const FollowedRun& run, const NamedArray& array, std::ostream& out) {
  for (const double& element : array.elements) {
    const reference::Residue residue = run.residue_at(&element, element);
    out.write(reinterpret_cast<const char*>(&residue), sizeof residue);
  }
}

/// `run` follows the shader; null if nobody does.
void answer(const MetalShader& shader, const json& said, FollowedRun* run, std::istream& in, std::ostream& out) {
  auto inputs = arrays_from(said.at("inputs"), 0);
  for (auto& one : inputs) in.read(reinterpret_cast<char*>(one.elements.data()), bytes_of(one));
  try {
    if (run != nullptr) {
      reference::chain_in_use = said.at("chain").at(0);
      reference::roots_are_turned = said.at("chain").at(1);
      run->begin_again();
    }
    const auto outputs = answered(shader, said, inputs);
    say(out, "ok");
    for (const auto& one : outputs) out.write(reinterpret_cast<const char*>(one.elements.data()), bytes_of(one));
    for (const auto& one : outputs)
      if (run != nullptr) write_residues(*run, one, out);
  } catch (const std::exception& exception) {
    say(out, "failed", exception.what());
  }
  out.flush();
}

}  // namespace

int serve_shader(const std::string& name, std::istream& in, std::ostream& out) {
  std::string line;
  if (!std::getline(in, line)) return bad_usage;
  try {
    const json said = json::parse(line);
    std::optional<FollowedRun> run;
    if (said.value("algebra", false)) run.emplace();
    const MetalShader shader(name, interface_from(said));
    say(out, "ok");
    out.flush();
    while (std::getline(in, line)) answer(shader, json::parse(line), run ? &*run : nullptr, in, out);
  } catch (const std::exception& exception) {
    say(out, "failed", exception.what());
    out.flush();
    return bad_usage;
  }
  return 0;
}

}  // namespace assay::validation
