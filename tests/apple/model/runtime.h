// A model of the Objective-C runtime, as much of it as metal-cpp calls: selectors, classes, messages, reference counts
// and pools. Misuse ends the process with a fault that names the class and the message: a message to a released
// object, one that its class does not know, an object autoreleased where its thread has no pool.
#pragma once

#include <objc/runtime.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace assay::metal::apple::model {

/// Writes "model of Metal: TEXT" to standard error and ends the process.
[[noreturn]] void fault(const std::string& text);

using Method = void (*)();

/// The methods of a class by their selectors, beside those that all objects have.
struct Class {
  std::string name;
  std::map<std::string, Method> methods;
};

/// Memory of released objects is kept, so that a later message to them is noticed.
struct Object {
  const Class* isa = nullptr;
  std::atomic<long> references = 1;
  std::shared_ptr<void>
      state;  ///< of a C++ type that belongs to the class; null before init and after the last release
};

/// What an object holds, or a local variable: one reference.
class Reference {
 public:
  Reference() = default;
  explicit Reference(Object* retained) : object_(retained) {}
  Reference(const Reference& other);
  Reference(Reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Reference& operator=(Reference other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Reference();

  Object* get() const { return object_; }

 private:
  Object* object_ = nullptr;
};

/// An object with one reference, which the caller owns.
Object* new_object(const Class& type, std::shared_ptr<void> state);
Reference retained(Object* object);
/// Hands the reference to the thread's innermost pool.
Object* autoreleased(Object* object);

template <class State>
State& state_of(Object* object) {
  if (!object->state) fault(object->isa->name + " was not initialised");
  return *static_cast<State*>(object->state.get());
}

/// `R function(State&, arguments...)` as a method.
template <auto function>
struct OfState;
template <class R, class State, class... A, R (*function)(State&, A...)>
struct OfState<function> {
  static R call(Object* self, SEL, A... arguments) { return function(state_of<State>(self), arguments...); }
};
template <auto function>
Method method() {
  return reinterpret_cast<Method>(&OfState<function>::call);
}

/// `init` of a class whose objects begin with a default state.
template <class State>
Object* initialise(Object* self, SEL) {
  self->state = std::make_shared<State>();
  return self;
}

/// What objc_lookUpClass finds under this name; it understands alloc. Null for a class that the program cannot
/// allocate.
const Class* allocatable_class(const std::string& name);

/// How many objects of each class are alive, for example "MTLBuffer 2, NSString 1"; empty if none is.
std::string live_objects();

/// How many objects of a class there have been.
long created(const std::string& class_name);

}  // namespace assay::metal::apple::model
