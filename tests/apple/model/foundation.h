// Foundation's objects that Metal hands out, and how the model makes them.
#pragma once

#include <Foundation/Foundation.hpp>
#include <Metal/Metal.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/apple/model/runtime.h"

extern "C" NS::ErrorUserInfoKey const MTLCommandBufferEncoderInfoErrorKey;

namespace assay::metal::apple::model {

/// An object of the model as metal-cpp's pointer, and back.
template <class T>
T* as(Object* object) {
  return reinterpret_cast<T*>(object);
}
inline Object* object_of(const void* pointer) {
  return static_cast<Object*>(const_cast<void*>(pointer));
}

Object* new_string(const std::string& text);
std::string text_of(Object* string);
Object* new_array(std::vector<Reference> objects);
/// The keys are strings.
Object* new_dictionary(std::map<std::string, Reference> entries);
Object* new_error(const std::string& domain, NS::Integer code, const std::string& text,
                  std::map<std::string, Reference> user_info = {});

const Class& string_class();

}  // namespace assay::metal::apple::model
