#include "metal/apple/apple_reflection.h"

#include "metal/apple/apple_data_type.h"

namespace assay::metal::apple {

namespace {

void describe_buffer(Argument& argument, const MTL::BufferBinding& binding) {
  argument.kind = Argument::Kind::buffer;
  argument.is_written = binding.access() != MTL::BindingAccessReadOnly;
  argument.element_size = binding.bufferDataSize();
  argument.element_alignment = binding.bufferAlignment();
  const auto type = describe(binding.bufferDataType());
  argument.element_type = type ? type->name : "";
  argument.type = (argument.is_written ? "" : "const ") + (type ? type->name : std::string("struct")) + "*";
}

void describe_threadgroup_memory(Argument& argument, const MTL::ThreadgroupBinding& binding) {
  argument.kind = Argument::Kind::threadgroup_memory;
  argument.is_written = true;
  argument.type = "threadgroup";
  argument.element_size = binding.threadgroupMemoryDataSize();
  argument.element_alignment = binding.threadgroupMemoryAlignment();
}

}  // namespace

std::vector<Argument> reflected_arguments(const MTL::ComputePipelineReflection& reflection) {
  std::vector<Argument> arguments;
  const NS::Array* const bindings = reflection.bindings();
  for (NS::UInteger i = 0; bindings && i < bindings->count(); ++i) {
    const auto* const binding = bindings->object<MTL::Binding>(i);
    Argument argument;
    argument.name = text(binding->name());
    argument.index = static_cast<std::uint32_t>(binding->index());
    if (binding->type() == MTL::BindingTypeBuffer)
      describe_buffer(argument, *static_cast<const MTL::BufferBinding*>(binding));
    else if (binding->type() == MTL::BindingTypeThreadgroupMemory)
      describe_threadgroup_memory(argument, *static_cast<const MTL::ThreadgroupBinding*>(binding));
    else if (binding->type() == MTL::BindingTypeTexture)
      argument.kind = Argument::Kind::texture;
    else if (binding->type() == MTL::BindingTypeSampler)
      argument.kind = Argument::Kind::sampler;
    else
      continue;
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

}  // namespace assay::metal::apple
