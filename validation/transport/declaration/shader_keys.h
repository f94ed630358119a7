// What bindings, scripts and the command line say alike of a shader: source, metal_version, macros and folders, and indices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "metal/device/shader_language.h"
#include "validation/transport/declaration/binding_node.h"

namespace assay::validation::transport {

/// The largest indices that Metal has, of buffers and of threadgroup memory, and of the others.
inline constexpr std::uint32_t max_buffer_index = 30, max_texture_index = 127, max_sampler_index = 15,
                               max_constant_index = 65535;

/// Whether it can be defined: the value's second line would be no part of the macro.
bool is_macro(std::string_view name, std::string_view value);
inline constexpr const char* what_a_macro_is = "an identifier as the macro's name, and a value of one line";

/// Refuses what is no file in `folder`.
std::filesystem::path read_source(const BindingNode& node, const std::filesystem::path& folder);

metal::ShaderLanguage read_language(const BindingNode& node, const std::filesystem::path& folder);

}  // namespace assay::validation::transport
