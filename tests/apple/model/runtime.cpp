#include "tests/apple/model/runtime.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <vector>

namespace assay::metal::apple::model {

namespace {

struct Census {
  std::mutex mutex;
  std::map<std::string, long> alive, created;
};

/// Never destroyed: objects may outlive the program's own.
Census& census() {
  static auto* const one = new Census;
  return *one;
}

void count(const std::string& name, long change) {
  const std::lock_guard lock(census().mutex);
  census().alive[name] += change;
  if (change > 0) ++census().created[name];
}

/// The pools of this thread, the innermost last.
struct Pool {
  Object* object;
  std::vector<Object*> objects;
};
thread_local std::vector<Pool> pools;

void release(Object* self) {
  if (self->references.fetch_sub(1) > 1) return;
  self->state.reset();
  count(self->isa->name, -1);
}

Object* retain(Object* self) {
  ++self->references;
  return self;
}

Object* begin_pool(Object* self, SEL) {
  self->state = std::make_shared<int>();
  pools.push_back({self, {}});
  return self;
}

void end_pool(Object* self, SEL) {
  if (pools.empty() || pools.back().object != self) fault("a pool is drained that is not its thread's innermost");
  const std::vector<Object*> objects = std::move(pools.back().objects);
  pools.pop_back();
  for (Object* const object : objects) release(object);
  release(self);
}

Object* allocate(Object* type, SEL) {
  return new_object(*static_cast<const Class*>(type->state.get()), nullptr);
}

const Class& meta_class() {
  static const Class type{"class", {{"alloc", reinterpret_cast<Method>(&allocate)}}};
  return type;
}

const Class& pool_class() {
  static const Class type{"NSAutoreleasePool",
                          {{"init", reinterpret_cast<Method>(&begin_pool)},
                           {"release", reinterpret_cast<Method>(&end_pool)},
                           {"drain", reinterpret_cast<Method>(&end_pool)}}};
  return type;
}

const std::string& text(SEL selector) {
  return *reinterpret_cast<const std::string*>(selector);
}

bool responds(Object* self, SEL, SEL selector) {
  return self->isa->methods.contains(text(selector));
}

const std::map<std::string, Method>& common_methods() {
  static const std::map<std::string, Method> methods{
      {"retain", reinterpret_cast<Method>(+[](Object* self, SEL) { return retain(self); })},
      {"release", reinterpret_cast<Method>(+[](Object* self, SEL) { release(self); })},
      {"autorelease", reinterpret_cast<Method>(+[](Object* self, SEL) { return autoreleased(self); })},
      {"respondsToSelector:", reinterpret_cast<Method>(&responds)},
      {"methodSignatureForSelector:", reinterpret_cast<Method>(+[](Object*, SEL, SEL) -> void* { return nullptr; })}};
  return methods;
}

/// The object that stands for a class.
Object* class_object(const Class& type) {
  static std::mutex mutex;
  static auto* const objects = new std::map<const Class*, Object*>;
  const std::lock_guard lock(mutex);
  Object*& object = (*objects)[&type];
  if (!object) object = new Object{&meta_class(), 1, std::shared_ptr<void>(const_cast<Class*>(&type), [](void*) {})};
  return object;
}

}  // namespace

void fault(const std::string& text) {
  std::fprintf(stderr, "model of Metal: %s\n", text.c_str());
  std::abort();
}

Reference::Reference(const Reference& other) : object_(other.object_ ? retain(other.object_) : nullptr) {}

Reference::~Reference() {
  if (object_) release(object_);
}

Object* new_object(const Class& type, std::shared_ptr<void> state) {
  static std::mutex mutex;
  static auto* const all = new std::vector<std::unique_ptr<Object>>;  // the released ones too
  auto object = std::make_unique<Object>();
  object->isa = &type;
  object->state = std::move(state);
  count(type.name, 1);
  const std::lock_guard lock(mutex);
  all->push_back(std::move(object));
  return all->back().get();
}

Reference retained(Object* object) {
  return Reference(object ? retain(object) : nullptr);
}

Object* autoreleased(Object* object) {
  if (pools.empty()) fault(object->isa->name + " is autoreleased where its thread has no pool");
  pools.back().objects.push_back(object);
  return object;
}

std::string live_objects() {
  const std::lock_guard lock(census().mutex);
  std::string result;
  for (const auto& [name, number] : census().alive)
    if (number != 0) result += (result.empty() ? "" : ", ") + name + " " + std::to_string(number);
  return result;
}

long created(const std::string& class_name) {
  const std::lock_guard lock(census().mutex);
  return census().created[class_name];
}

/// What send.cpp jumps to for a message.
extern "C" Method assay_model_method(Object* self, SEL selector) {
  const std::string& name = text(selector);
  if (self->references <= 0) fault("'" + name + "' is sent to a released " + self->isa->name);
  for (const auto* methods : {&self->isa->methods, &common_methods()})
    if (const auto found = methods->find(name); found != methods->end()) return found->second;
  fault(self->isa->name + " does not understand '" + name + "'");
}

extern "C" void assay_model_no_structure() {
  fault("a message to nil is to return a structure, which is then undefined");
}

}  // namespace assay::metal::apple::model

namespace model = assay::metal::apple::model;

extern "C" SEL sel_registerName(const char* name) {
  static std::mutex mutex;
  static auto* const names = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return reinterpret_cast<SEL>(const_cast<std::string*>(&*names->insert(name).first));
}

extern "C" void* objc_lookUpClass(const char* name) {
  const model::Class* const type =
      name == model::pool_class().name ? &model::pool_class() : model::allocatable_class(name);
  return type ? model::class_object(*type) : nullptr;
}

extern "C" void* objc_getProtocol(const char*) {
  return nullptr;
}

// The runtime of blocks, which metal-cpp's completion handlers refer to and nothing here calls.
extern "C" {
void* _NSConcreteStackBlock[32];  // NOLINT(bugprone-reserved-identifier): the names are the compiler's
void _Block_object_assign(void*, const void*, int) {}
void _Block_object_dispose(const void*, int) {}
}
