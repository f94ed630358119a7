// MTLLibrary, MTLFunction and MTLComputePipelineState, with what Metal reflects of them.
#include <algorithm>
#include <array>
#include <cstring>

#include "metal/emulator/emulator_library.h"
#include "tests/apple/model/metal.h"

namespace assay::metal::apple::model {

namespace {

constexpr std::array<std::pair<const char*, MTL::DataType>, 12> scalars{{{"float", MTL::DataTypeFloat},
                                                                         {"half", MTL::DataTypeHalf},
                                                                         {"int", MTL::DataTypeInt},
                                                                         {"uint", MTL::DataTypeUInt},
                                                                         {"short", MTL::DataTypeShort},
                                                                         {"ushort", MTL::DataTypeUShort},
                                                                         {"char", MTL::DataTypeChar},
                                                                         {"uchar", MTL::DataTypeUChar},
                                                                         {"bool", MTL::DataTypeBool},
                                                                         {"long", MTL::DataTypeLong},
                                                                         {"ulong", MTL::DataTypeULong},
                                                                         {"bfloat", MTL::DataTypeBFloat}}};

void give_error(Object** error, const std::string& text) {
  if (error) *error = autoreleased(new_error("MTLLibraryErrorDomain", MTL::LibraryErrorCompileFailure, text));
}

void set_fast_maths(CompileOptionsModel& self, bool is_on) {
  self.has_fast_maths = is_on;
}

/// FunctionConstants take values by their type's size.
void set_constant(ConstantValuesModel& self, const void* value, MTL::DataType type, NS::UInteger index) {
  FunctionConstants constants;
  const auto number = static_cast<std::uint32_t>(index);
  const auto set = [&]<class T>(T copy) {
    std::memcpy(&copy, value, sizeof copy);
    constants.set(number, copy);
  };
  if (type == MTL::DataTypeBool || type == MTL::DataTypeChar || type == MTL::DataTypeUChar)
    set(std::uint8_t{});
  else if (type == MTL::DataTypeHalf || type == MTL::DataTypeBFloat || type == MTL::DataTypeShort ||
           type == MTL::DataTypeUShort)
    set(std::uint16_t{});
  else if (type == MTL::DataTypeLong || type == MTL::DataTypeULong)
    set(std::uint64_t{});
  else
    set(std::uint32_t{});
  self.values[index] = {type, constants};
}

struct LibraryModel {
  std::shared_ptr<metal::Library> library;
  Reference constants;  ///< a dictionary from name to MTLFunctionConstant
};

struct ConstantModel {
  Reference name;
  MTL::DataType type;
  NS::UInteger index;
};
Object* constant_name(ConstantModel& self) {
  return self.name.get();
}
MTL::DataType constant_type(ConstantModel& self) {
  return self.type;
}
NS::UInteger constant_index(ConstantModel& self) {
  return self.index;
}

Reference constants_of(const emulator::abi::Shader& shader) {
  static const Class type{
      "MTLFunctionConstant",
      {{"name", method<constant_name>()}, {"type", method<constant_type>()}, {"index", method<constant_index>()}}};
  std::map<std::string, Reference> entries;
  for (const auto& constant : std::span(shader.constants, shader.constant_count))
    entries.emplace(
        constant.name,
        new_object(type, std::make_shared<ConstantModel>(ConstantModel{Reference(new_string(constant.name)),
                                                                       data_type(constant.type), constant.index})));
  return Reference(new_dictionary(std::move(entries)));
}

Object* function_names(LibraryModel& self) {
  std::vector<Reference> names;
  for (const std::string& name : self.library->function_names()) names.emplace_back(new_string(name));
  return autoreleased(new_array(std::move(names)));
}

Object* function_name(FunctionModel& self) {
  return autoreleased(new_string(self.name));
}
Object* constants_dictionary(FunctionModel& self) {
  return self.constants.get();
}

Object* new_function(FunctionModel function) {
  static const Class type{
      "MTLFunction",
      {{"name", method<function_name>()}, {"functionConstantsDictionary", method<constants_dictionary>()}}};
  return new_object(type, std::make_shared<FunctionModel>(std::move(function)));
}

Object* function_named(LibraryModel& self, Object* name) {
  const std::vector<std::string> names = self.library->function_names();
  if (std::ranges::find(names, text_of(name)) == names.end()) return nullptr;
  const auto function = self.library->new_function(text_of(name));
  return new_function({text_of(name), self.library, function ? *function : nullptr, self.constants});
}

/// Metal ignores the value of a constant that the library does not have.
Result<FunctionConstants> known_values(LibraryModel& self, ConstantValuesModel& given) {
  FunctionConstants result;
  auto& dictionary = *as<NS::Dictionary>(self.constants.get());
  auto* const keys = dictionary.keyEnumerator<NS::String>();
  while (const NS::String* const key = keys->nextObject()) {
    auto& constant = state_of<ConstantModel>(object_of(dictionary.object(key)));
    const auto found = given.values.find(constant.index);
    if (found == given.values.end()) continue;
    if (found->second.first != constant.type)
      return error(Error::Kind::argument, text_of(constant.name.get()) + " is given a value of another type");
    const auto value = found->second.second.values().begin()->second;
    const auto index = static_cast<std::uint32_t>(constant.index);
    if (value.size == 1) result.set(index, value.bytes[0]);
    std::uint64_t bits = 0;
    std::memcpy(&bits, value.bytes.data(), 8);
    if (value.size == 2) result.set(index, static_cast<std::uint16_t>(bits));
    if (value.size == 4) result.set(index, static_cast<std::uint32_t>(bits));
    if (value.size == 8) result.set(index, bits);
  }
  return result;
}

Object* specialised_function(LibraryModel& self, Object* name, Object* values, Object** error) {
  const Result<FunctionConstants> constants = known_values(self, state_of<ConstantValuesModel>(values));
  if (!constants) return give_error(error, constants.error().text), nullptr;
  auto function = self.library->new_function(text_of(name), *constants);
  if (!function) return give_error(error, function.error().text), nullptr;
  return new_function({text_of(name), self.library, *function, self.constants});
}

NS::UInteger max_total(PipelineModel& self) {
  return self.pipeline->max_total_threads_per_threadgroup();
}
NS::UInteger width(PipelineModel& self) {
  return self.pipeline->thread_execution_width();
}
NS::UInteger static_length(PipelineModel& self) {
  return self.pipeline->static_threadgroup_memory_length();
}

struct ReflectionModel {
  Reference bindings;
};
Object* bindings(ReflectionModel& self) {
  return self.bindings.get();
}

struct BindingModel {
  Argument argument;
  Reference name;
};
Object* binding_name(BindingModel& self) {
  return self.name.get();
}
NS::UInteger binding_index(BindingModel& self) {
  return self.argument.index;
}
NS::UInteger data_size(BindingModel& self) {
  return self.argument.element_size;
}
NS::UInteger alignment(BindingModel& self) {
  return self.argument.element_alignment;
}
MTL::DataType binding_data_type(BindingModel& self) {
  return data_type(self.argument.element_type);
}
MTL::BindingType binding_type(BindingModel& self) {
  return self.argument.kind == Argument::Kind::buffer ? MTL::BindingTypeBuffer : MTL::BindingTypeThreadgroupMemory;
}
MTL::BindingAccess binding_access(BindingModel& self) {
  return self.argument.is_written ? MTL::BindingAccessReadWrite : MTL::BindingAccessReadOnly;
}

Object* new_reflection(const std::vector<Argument>& arguments) {
  static const Class binding{"MTLBinding",
                             {{"name", method<binding_name>()},
                              {"index", method<binding_index>()},
                              {"type", method<binding_type>()},
                              {"access", method<binding_access>()},
                              {"bufferDataSize", method<data_size>()},
                              {"bufferAlignment", method<alignment>()},
                              {"bufferDataType", method<binding_data_type>()},
                              {"threadgroupMemoryDataSize", method<data_size>()},
                              {"threadgroupMemoryAlignment", method<alignment>()}}};
  static const Class type{"MTLComputePipelineReflection", {{"bindings", method<bindings>()}}};
  std::vector<Reference> all;
  for (const Argument& argument : arguments)
    if (argument.kind != Argument::Kind::position)
      all.emplace_back(new_object(
          binding, std::make_shared<BindingModel>(BindingModel{argument, Reference(new_string(argument.name))})));
  return new_object(type, std::make_shared<ReflectionModel>(ReflectionModel{Reference(new_array(std::move(all)))}));
}

}  // namespace

MTL::DataType data_type(const std::string& name) {
  for (const auto& [scalar, type] : scalars) {
    if (name == scalar) return type;
    for (unsigned length = 2; length <= 4; ++length)
      if (name == scalar + std::to_string(length)) return static_cast<MTL::DataType>(type + length - 1);
  }
  return MTL::DataTypeStruct;
}

const Class& compile_options_class() {
  static const Class type{"MTLCompileOptions",
                          {{"init", reinterpret_cast<Method>(&initialise<CompileOptionsModel>)},
                           {"setFastMathEnabled:", method<set_fast_maths>()}}};
  return type;
}

const Class& constant_values_class() {
  static const Class type{"MTLFunctionConstantValues",
                          {{"init", reinterpret_cast<Method>(&initialise<ConstantValuesModel>)},
                           {"setConstantValue:type:atIndex:", method<set_constant>()}}};
  return type;
}

Object* new_library(const std::string& source, Object* options, Object** error) {
  static const Class type{"MTLLibrary",
                          {{"functionNames", method<function_names>()},
                           {"newFunctionWithName:", method<function_named>()},
                           {"newFunctionWithName:constantValues:error:", method<specialised_function>()}}};
  if (!options || state_of<CompileOptionsModel>(options).has_fast_maths) fault("a library is compiled with fast maths");
  auto library = gpu().device->new_library("#pragma clang fp contract(on)\n#line 1\n" + source);
  if (!library) return give_error(error, library.error().text), nullptr;
  const std::vector<std::string> names = (*library)->function_names();
  Reference constants(new_dictionary({}));
  for (const std::string& name : names)
    if (const auto function = (*library)->new_function(name))
      constants =
          constants_of(*std::dynamic_pointer_cast<const emulator::EmulatorFunction>(*function)->shader().shader);
  return new_object(type, std::make_shared<LibraryModel>(LibraryModel{*library, std::move(constants)}));
}

Object* new_pipeline(Object* function, MTL::PipelineOption options, Object** reflection, Object** error) {
  static const Class type{"MTLComputePipelineState",
                          {{"maxTotalThreadsPerThreadgroup", method<max_total>()},
                           {"threadExecutionWidth", method<width>()},
                           {"staticThreadgroupMemoryLength", method<static_length>()}}};
  auto& own = state_of<FunctionModel>(function);
  if (!own.function) return give_error(error, own.name + ": function constants have no values"), nullptr;
  auto pipeline = gpu().device->new_pipeline(own.function);
  if (!pipeline) return give_error(error, pipeline.error().text), nullptr;
  if (reflection && options != MTL::PipelineOptionNone)
    *reflection = autoreleased(new_reflection(own.function->arguments()));
  return new_object(type, std::make_shared<PipelineModel>(PipelineModel{*pipeline}));
}

}  // namespace assay::metal::apple::model
