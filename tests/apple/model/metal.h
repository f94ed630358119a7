// A model of Metal's objects on the emulator: what metal/apple calls behaves as Apple documents it, and what Metal's
// validation would end the process for is a fault (runtime.h). Commands run while the host waits for them, not before,
// so a host that does not wait finds its buffers unchanged.
//
// It differs from Metal in this: every function lists all function constants of its library; buffers have shared
// storage alone; nothing is known of speed.
#pragma once

#include <Metal/Metal.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "metal/emulator/emulator_device.h"
#include "tests/apple/model/foundation.h"

namespace assay::metal::apple::model {

struct DeviceModel {
  std::shared_ptr<emulator::EmulatorDevice> device;
  std::shared_ptr<metal::CommandQueue> queue;
  std::mutex mutex;  ///< the GPU runs one command buffer at a time
};
/// The one GPU.
DeviceModel& gpu();

struct BufferModel {
  std::shared_ptr<metal::Buffer> buffer;
  std::shared_ptr<std::atomic<int>> commands_in_flight = std::make_shared<std::atomic<int>>(0);
  Reference label;
};

struct CompileOptionsModel {
  bool has_fast_maths = true;  ///< Metal's default
};

struct ConstantValuesModel {
  std::map<NS::UInteger, std::pair<MTL::DataType, FunctionConstants>> values;
};

struct FunctionModel {
  std::string name;
  std::shared_ptr<metal::Library> library;
  std::shared_ptr<const metal::Function> function;  ///< null before its constants have values
  Reference constants;                              ///< the dictionary
};

struct PipelineModel {
  std::shared_ptr<const metal::ComputePipeline> pipeline;
};

/// Makes a library. On failure returns nil and sets the error. Fast maths is a fault: kernels compute with infinities.
/// As in Metal, expressions are contracted unless the source has `#pragma METAL fp contract(off)`.
Object* new_library(const std::string& source, Object* options, Object** error);
Object* new_pipeline(Object* function, MTL::PipelineOption options, Object** reflection, Object** error);
Object* new_queue();
void lack_commands(bool command_buffer, bool encoder);

const Class& compile_options_class();
const Class& constant_values_class();
const Class& command_buffer_descriptor_class();

/// Metal's number of a scalar or vector type, MTLDataTypeStruct for others.
MTL::DataType data_type(const std::string& name);

}  // namespace assay::metal::apple::model
