#include "metal/apple/apple_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "metal/apple/apple_data_type.h"
#include "metal/apple/apple_function.h"
#include "metal/device/shader_source.h"

namespace assay::metal::apple {

namespace {

/// Without fast maths, which assumes that there are no infinities and no NaN: the kernels compute with log 0.
Result<NS::SharedPtr<MTL::Library>> compiled(const AppleState& device, const std::string& source) {
  const auto pool = autorelease_pool();
  std::string macros;
  for (const auto& [name, value] : device.language.macros) macros += fmt::format("#define {} {}\n", name, value);
  const auto words = ns_string(macros.empty() ? source : macros + "#line 1\n" + source);
  if (!words) return error(Error::Kind::compile, "the source is not UTF-8, or has a NUL character");
  const auto options = NS::TransferPtr(MTL::CompileOptions::alloc()->init());
  options->setFastMathEnabled(false);
  NS::Error* problem = nullptr;
  auto library = NS::TransferPtr(device.device->newLibrary(words.get(), options.get(), &problem));
  if (!library) return error(Error::Kind::compile, text(problem));
  return library;
}

}  // namespace

Result<std::shared_ptr<Library>> AppleLibrary::of_source(std::shared_ptr<AppleState> device,
                                                         const std::string& source) {
  if (!device->language.linked.empty())
    return error(Error::Kind::argument, "linked files go with a source that is a file itself");
  Result<NS::SharedPtr<MTL::Library>> library = compiled(*device, source);
  if (!library) return tl::unexpected(library.error());
  return std::shared_ptr<Library>(new AppleLibrary(std::move(device), std::move(*library), {}, {}));
}

Result<std::shared_ptr<Library>> AppleLibrary::of_file(std::shared_ptr<AppleState> device,
                                                       const std::filesystem::path& path) {
  Result<std::string> source = text_with_includes(path, device->language.folders, device->language.linked);
  if (!source) return tl::unexpected(source.error());
  Result<NS::SharedPtr<MTL::Library>> library = compiled(*device, *source);
  if (!library) return tl::unexpected(library.error());
  return std::shared_ptr<Library>(new AppleLibrary(std::move(device), std::move(*library), path, std::move(*source)));
}

std::vector<std::string> AppleLibrary::function_names() const {
  const auto pool = autorelease_pool();
  std::vector<std::string> names;
  const NS::Array* const array = library_->functionNames();
  for (NS::UInteger i = 0; array && i < array->count(); ++i) names.push_back(text(array->object<NS::String>(i)));
  return names;
}

void AppleLibrary::add_constants(Constants& known, MTL::Function* function) {
  const NS::Dictionary* const dictionary = function ? function->functionConstantsDictionary() : nullptr;
  auto* const keys = dictionary ? dictionary->keyEnumerator<NS::String>() : nullptr;
  while (const NS::String* const key = keys ? keys->nextObject() : nullptr) {
    const auto* const constant = dictionary->object<MTL::FunctionConstant>(key);
    known[static_cast<std::uint32_t>(constant->index())] = {text(constant->name()), constant->type()};
  }
}

AppleLibrary::Constants AppleLibrary::constants_for(MTL::Function* function, const FunctionConstants& wanted) const {
  Constants known;
  add_constants(known, function);
  const auto is_known = [&](const auto& value) { return known.contains(value.first); };
  if (std::ranges::all_of(wanted.values(), is_known)) return known;
  const std::lock_guard lock(mutex_);
  if (!all_constants_) {
    all_constants_.emplace();
    for (const std::string& name : function_names())
      add_constants(*all_constants_, NS::TransferPtr(library_->newFunction(ns_string(name).get())).get());
  }
  return *all_constants_;
}

Result<NS::SharedPtr<MTL::FunctionConstantValues>> AppleLibrary::values_of(const FunctionConstants& constants,
                                                                           const Constants& known) {
  auto values = NS::TransferPtr(MTL::FunctionConstantValues::alloc()->init());
  for (const auto& [index, value] : constants.values()) {
    const auto constant = known.find(index);
    if (constant == known.end())
      return error(Error::Kind::not_found,
                   fmt::format("function constant {}: the library has none of this index", index));
    const auto type = describe(constant->second.type);
    if (!type || type->size != value.size)
      return error(Error::Kind::argument,
                   fmt::format("function constant {} `{}`: its value has {} bytes, expected {} of {}", index,
                               constant->second.name, value.size, type ? type->size : 0, type ? type->name : "?"));
    values->setConstantValue(value.bytes.data(), constant->second.type, index);
  }
  return values;
}

Result<std::shared_ptr<const Function>> AppleLibrary::new_function(const std::string& name,
                                                                   const FunctionConstants& constants) {
  const auto pool = autorelease_pool();
  const auto words = ns_string(name);
  const auto plain = words ? NS::TransferPtr(library_->newFunction(words.get())) : NS::SharedPtr<MTL::Function>();
  if (!plain) return error(Error::Kind::not_found, fmt::format("Function {} was not found in the library", name));
  const Result<NS::SharedPtr<MTL::FunctionConstantValues>> values =
      values_of(constants, constants_for(plain.get(), constants));
  if (!values) return tl::unexpected(values.error());
  NS::Error* problem = nullptr;
  auto function = NS::TransferPtr(library_->newFunction(words.get(), values->get(), &problem));
  if (!function) return error(Error::Kind::argument, fmt::format("function {}: {}", name, text(problem)));
  return std::make_shared<AppleFunction>(device_, std::move(function));
}

Result<bool> AppleLibrary::reload_if_changed() {
  if (path_.empty()) return false;
  Result<std::string> source = text_with_includes(path_, device_->language.folders, device_->language.linked);
  if (!source) return tl::unexpected(source.error());
  if (*source == source_) return false;
  Result<NS::SharedPtr<MTL::Library>> library = compiled(*device_, *source);
  if (!library) return tl::unexpected(library.error());
  const std::lock_guard lock(mutex_);
  library_ = std::move(*library);
  all_constants_.reset();
  source_ = std::move(*source);
  return true;
}

}  // namespace assay::metal::apple
