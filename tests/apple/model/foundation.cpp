#include "tests/apple/model/foundation.h"

namespace assay::metal::apple::model {

namespace {

struct String {
  std::string text;
};

/// Whether the bytes are UTF-8, as far as a test needs it: each lead byte has its continuation bytes.
bool is_utf8(const std::string& bytes) {
  std::size_t left = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = (byte & 0xC0U) == 0x80U;
    if (continues != (left > 0) || byte >= 0xF8U) return false;
    if (continues)
      --left;
    else
      left = byte < 0x80U ? 0 : byte < 0xE0U ? 1 : byte < 0xF0U ? 2 : 3;
  }
  return left == 0;
}

/// As in Foundation, an initialiser that fails releases the object that it was sent to.
Object* initialised(Object* self, std::string text) {
  if (!is_utf8(text)) {
    const Reference released(self);
    return nullptr;
  }
  self->state = std::make_shared<String>(String{std::move(text)});
  return self;
}

Object* init_c_string(Object* self, SEL, const char* text, NS::StringEncoding encoding) {
  if (encoding != NS::UTF8StringEncoding) fault("initWithCString:encoding: another encoding than UTF-8");
  return initialised(self, text);
}

Object* init_bytes(Object* self, SEL, void* bytes, NS::UInteger length, NS::StringEncoding encoding, bool frees) {
  if (encoding != NS::UTF8StringEncoding || frees) fault("initWithBytesNoCopy: another encoding, or bytes to free");
  return initialised(self, std::string(static_cast<const char*>(bytes), length));
}

const char* utf8(String& self) {
  return self.text.c_str();
}

struct Array {
  std::vector<Reference> objects;
};
NS::UInteger array_count(Array& self) {
  return self.objects.size();
}
Object* object_at(Array& self, NS::UInteger index) {
  if (index >= self.objects.size()) fault("objectAtIndex: beyond the end");
  return self.objects[index].get();
}

struct Dictionary {
  std::map<std::string, Reference> entries;
};
NS::UInteger dictionary_count(Dictionary& self) {
  return self.entries.size();
}
Object* object_for_key(Dictionary& self, Object* key) {
  const auto found = self.entries.find(text_of(key));
  return found == self.entries.end() ? nullptr : found->second.get();
}

struct Enumerator {
  std::vector<Reference> objects;
  std::size_t next = 0;
};
Object* next_object(Enumerator& self) {
  return self.next < self.objects.size() ? self.objects[self.next++].get() : nullptr;
}
Object* key_enumerator(Dictionary& self) {
  static const Class type{"NSEnumerator", {{"nextObject", method<next_object>()}}};
  Enumerator keys;
  for (const auto& [key, value] : self.entries) keys.objects.emplace_back(new_string(key));
  return autoreleased(new_object(type, std::make_shared<Enumerator>(std::move(keys))));
}

struct Error {
  Reference domain, text, user_info;
  NS::Integer code = 0;
};
Object* error_domain(Error& self) {
  return self.domain.get();
}
Object* error_text(Error& self) {
  return self.text.get();
}
Object* error_info(Error& self) {
  return self.user_info.get();
}
NS::Integer error_code(Error& self) {
  return self.code;
}

}  // namespace

const Class& string_class() {
  static const Class type{"NSString",
                          {{"initWithCString:encoding:", reinterpret_cast<Method>(&init_c_string)},
                           {"initWithBytesNoCopy:length:encoding:freeWhenDone:", reinterpret_cast<Method>(&init_bytes)},
                           {"UTF8String", method<utf8>()}}};
  return type;
}

Object* new_string(const std::string& text) {
  return new_object(string_class(), std::make_shared<String>(String{text}));
}

std::string text_of(Object* string) {
  return string ? state_of<String>(string).text : "";
}

Object* new_array(std::vector<Reference> objects) {
  static const Class type{"NSArray", {{"count", method<array_count>()}, {"objectAtIndex:", method<object_at>()}}};
  return new_object(type, std::make_shared<Array>(Array{std::move(objects)}));
}

Object* new_dictionary(std::map<std::string, Reference> entries) {
  static const Class type{"NSDictionary",
                          {{"count", method<dictionary_count>()},
                           {"objectForKey:", method<object_for_key>()},
                           {"keyEnumerator", method<key_enumerator>()}}};
  return new_object(type, std::make_shared<Dictionary>(Dictionary{std::move(entries)}));
}

Object* new_error(const std::string& domain, NS::Integer code, const std::string& text,
                  std::map<std::string, Reference> user_info) {
  static const Class type{"NSError",
                          {{"domain", method<error_domain>()},
                           {"localizedDescription", method<error_text>()},
                           {"userInfo", method<error_info>()},
                           {"code", method<error_code>()}}};
  return new_object(type, std::make_shared<Error>(Error{Reference(new_string(domain)), Reference(new_string(text)),
                                                        Reference(new_dictionary(std::move(user_info))), code}));
}

namespace {

/// Metal's key is a string of the program itself, there before any of its own code runs.
alignas(Object) std::byte encoder_info_key[sizeof(Object)];

__attribute__((constructor(101))) void make_constants() {
  auto* const key = new (encoder_info_key) Object;
  key->isa = &string_class();
  key->state = std::make_shared<String>(String{"MTLCommandBufferEncoderInfoErrorKey"});
}

}  // namespace

}  // namespace assay::metal::apple::model

extern "C" NS::ErrorUserInfoKey const MTLCommandBufferEncoderInfoErrorKey =
    reinterpret_cast<NS::String*>(assay::metal::apple::model::encoder_info_key);
