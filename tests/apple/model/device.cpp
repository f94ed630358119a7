// MTLDevice and MTLBuffer.
#include "tests/apple/model/metal.h"
#include "tests/apple/model/model.h"

namespace assay::metal::apple::model {

namespace {

std::atomic<bool> has_device = true, has_memory = true, has_queue = true;

struct Plain {};

Object* device_name(Plain&) {
  return autoreleased(new_string("Assay's model of a GPU"));
}
NS::UInteger max_memory(Plain&) {
  return gpu().device->limits().max_threadgroup_memory_length;
}
NS::UInteger max_length(Plain&) {
  return gpu().device->limits().max_buffer_length;
}
NS::UInteger allocated(Plain&) {
  return gpu().device->current_allocated_size();
}
std::uint64_t working_set(Plain&) {
  return gpu().device->limits().recommended_max_working_set_size;
}
bool supports_family(Plain&, MTL::GPUFamily family) {
  return family <= MTL::GPUFamilyApple7;
}
MTL::Size max_threads(Plain&) {
  const Size size = gpu().device->limits().max_threads_per_threadgroup;
  return MTL::Size::Make(size.width, size.height, size.depth);
}

Object* buffer_label(BufferModel& self) {
  return self.label.get();
}
void set_buffer_label(BufferModel& self, Object* label) {
  self.label = retained(label);
}
NS::UInteger buffer_length(BufferModel& self) {
  return self.buffer->length();
}
void* contents(BufferModel& self) {
  if (*self.commands_in_flight > 0) fault("contents of a buffer are asked for while commands use it");
  return self.buffer->contents();
}

Object* new_buffer(Plain&, NS::UInteger length, MTL::ResourceOptions options) {
  static const Class type{"MTLBuffer",
                          {{"contents", method<contents>()},
                           {"length", method<buffer_length>()},
                           {"label", method<buffer_label>()},
                           {"setLabel:", method<set_buffer_label>()}}};
  if (options != MTL::ResourceStorageModeShared) fault("newBufferWithLength: the storage is not shared");
  if (length == 0) fault("newBufferWithLength: length 0");
  auto buffer = gpu().device->new_buffer(length, {});
  if (!buffer || !has_memory) return nullptr;
  (void)(*buffer)->did_modify(0, length);  // the host writes it without a word
  auto state = std::make_shared<BufferModel>();
  state->buffer = *buffer;
  return new_object(type, std::move(state));
}

Object* library_of_source(Plain&, Object* source, Object* options, Object** error) {
  return new_library(text_of(source), options, error);
}

Object* pipeline_of(Plain&, Object* function, MTL::PipelineOption options, Object** reflection, Object** error) {
  return new_pipeline(function, options, reflection, error);
}

Object* command_queue(Plain&) {
  return has_queue ? new_queue() : nullptr;
}

Object* new_device() {
  static const Class type{"MTLDevice",
                          {{"name", method<device_name>()},
                           {"maxThreadsPerThreadgroup", method<max_threads>()},
                           {"maxThreadgroupMemoryLength", method<max_memory>()},
                           {"maxBufferLength", method<max_length>()},
                           {"recommendedMaxWorkingSetSize", method<working_set>()},
                           {"currentAllocatedSize", method<allocated>()},
                           {"supportsFamily:", method<supports_family>()},
                           {"newBufferWithLength:options:", method<new_buffer>()},
                           {"newLibraryWithSource:options:error:", method<library_of_source>()},
                           {"newComputePipelineStateWithFunction:options:reflection:error:", method<pipeline_of>()},
                           {"newCommandQueue", method<command_queue>()}}};
  return new_object(type, std::make_shared<Plain>());
}

}  // namespace

DeviceModel& gpu() {
  static auto* const one = [] {
    auto* const model = new DeviceModel;
    model->device = std::make_shared<emulator::EmulatorDevice>();
    model->queue = model->device->new_command_queue();
    return model;
  }();
  return *one;
}

std::vector<std::string> reports() {
  std::vector<std::string> texts;
  for (const emulator::Report& report : gpu().device->reports()) texts.push_back(to_string(report));
  gpu().device->clear_reports();
  return texts;
}

void lack(Lack what) {
  has_device = what != Lack::device;
  has_memory = what != Lack::memory;
  has_queue = what != Lack::queue;
  lack_commands(what == Lack::command_buffer, what == Lack::encoder);
}

void set_watchdog(std::uint64_t steps) {
  gpu().device->set_step_limit(steps);
}

const Class* allocatable_class(const std::string& name) {
  for (const Class* const type :
       {&string_class(), &compile_options_class(), &constant_values_class(), &command_buffer_descriptor_class()})
    if (type->name == name) return type;
  return nullptr;
}

}  // namespace assay::metal::apple::model

namespace model = assay::metal::apple::model;

extern "C" MTL::Device* MTLCreateSystemDefaultDevice() {
  return model::has_device ? model::as<MTL::Device>(model::new_device()) : nullptr;
}

extern "C" NS::Array* MTLCopyAllDevices() {
  std::vector<model::Reference> devices;
  if (model::has_device) devices.emplace_back(model::new_device());
  return model::as<NS::Array>(model::new_array(std::move(devices)));
}

// What metal-cpp's headers name and nothing here calls.
extern "C" NS::Array* MTLCopyAllDevicesWithObserver(NS::Object**, MTL::DeviceNotificationHandlerBlock) {
  return nullptr;
}
extern "C" void MTLRemoveDeviceObserver(const NS::Object*) {}
