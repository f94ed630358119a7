// MTLCommandQueue, MTLCommandBuffer and MTLComputeCommandEncoder.
#include <deque>

#include "metal/device/or_throw.h"
#include "tests/apple/model/metal.h"

namespace assay::metal::apple::model {

namespace {

/// A call of an encoder, made again on the emulator's when the commands run.
using Call = std::function<void(metal::ComputeCommandEncoder&)>;

struct Encoded {
  MTL::DispatchType type;
  std::vector<Call> calls;
  std::vector<Reference> signposts;
};

std::atomic<bool> has_command_buffer = true, has_encoder = true;

struct CommandBufferModel {
  std::vector<Encoded> encoders;
  std::vector<std::shared_ptr<std::atomic<int>>> buffers;  ///< each counted while the commands are in flight
  bool is_encoding = false;
  std::atomic<MTL::CommandBufferStatus> status = MTL::CommandBufferStatusNotEnqueued;
  Reference error;
  double seconds = 0;
  bool tells_encoders = false;  ///< MTLCommandBufferErrorOptionEncoderExecutionStatus

  bool has_ended() const {
    return status == MTL::CommandBufferStatusCompleted || status == MTL::CommandBufferStatusError;
  }
  void run();
};

/// Committed and not yet run, in their order.
struct QueueModel {
  std::mutex mutex;
  std::deque<std::shared_ptr<CommandBufferModel>> waiting;

  void run_until(const CommandBufferModel* last) {
    const std::lock_guard lock(mutex);
    while (!waiting.empty() && !(last && last->has_ended())) {
      waiting.front()->run();
      waiting.pop_front();
    }
  }
  ~QueueModel() { run_until(nullptr); }
};

struct CommandBufferHandle {
  std::shared_ptr<CommandBufferModel> commands = std::make_shared<CommandBufferModel>();
  std::shared_ptr<QueueModel> queue;
};

struct EncoderInfo {
  Reference signposts;
};
Object* signposts(EncoderInfo& self) {
  return self.signposts.get();
}
MTL::CommandEncoderErrorState faulted(EncoderInfo&) {
  return MTL::CommandEncoderErrorStateFaulted;
}

/// The error of a command buffer. The model does not know which encoder failed, and names all.
Reference failure(const CommandBufferModel& commands, const std::string& text) {
  static const Class type{"MTLCommandBufferEncoderInfo",
                          {{"debugSignposts", method<signposts>()}, {"errorState", method<faulted>()}}};
  std::map<std::string, Reference> facts;
  if (commands.tells_encoders) {
    std::vector<Reference> infos;
    for (const Encoded& encoded : commands.encoders)
      infos.emplace_back(
          new_object(type, std::make_shared<EncoderInfo>(EncoderInfo{Reference(new_array(encoded.signposts))})));
    facts.emplace(text_of(object_of(MTLCommandBufferEncoderInfoErrorKey)), new_array(std::move(infos)));
  }
  const bool is_timeout = text.find("Timeout") != std::string::npos;
  return Reference(new_error("MTLCommandBufferErrorDomain",
                             is_timeout ? MTL::CommandBufferErrorTimeout : MTL::CommandBufferErrorPageFault, text,
                             std::move(facts)));
}

void CommandBufferModel::run() {
  const std::lock_guard lock(gpu().mutex);
  const auto commands = gpu().queue->command_buffer();
  for (const Encoded& encoded : encoders) {
    const auto encoder = or_throw(commands->compute_encoder(
        encoded.type == MTL::DispatchTypeConcurrent ? DispatchType::concurrent : DispatchType::serial));
    for (const Call& call : encoded.calls) call(*encoder);
    if (const auto end = encoder->end_encoding(); !end) fault(end.error().text);
  }
  or_throw(commands->commit());
  or_throw(commands->wait_until_completed());
  for (const auto& buffer : buffers) --*buffer;
  if (const auto problem = commands->error()) error = failure(*this, problem->text);
  status = error.get() ? MTL::CommandBufferStatusError : MTL::CommandBufferStatusCompleted;
  encoders.clear();
}

struct EncoderModel {
  std::shared_ptr<CommandBufferModel> commands;
  Encoded encoded;
  bool has_ended = false;

  ~EncoderModel() {
    if (!has_ended) fault("an encoder is released before its endEncoding");
  }
  void add(Call call) {
    if (has_ended) fault("an encoder is used after its endEncoding");
    autoreleased(new_string("what a driver makes for itself"));
    encoded.calls.push_back(std::move(call));
  }
};

void set_pipeline(EncoderModel& self, Object* state) {
  self.add([pipeline = state_of<PipelineModel>(state).pipeline](auto& encoder) { encoder.set_pipeline(pipeline); });
}

void set_buffer(EncoderModel& self, Object* object, NS::UInteger offset, NS::UInteger index) {
  const auto number = static_cast<std::uint32_t>(index);
  if (!object) return self.add([=](auto& encoder) { encoder.set_buffer(nullptr, 0, number); });
  auto& own = state_of<BufferModel>(object);
  self.commands->buffers.push_back(own.commands_in_flight);
  self.add([buffer = own.buffer, offset, number](auto& encoder) { encoder.set_buffer(buffer, offset, number); });
}

void set_bytes(EncoderModel& self, const void* bytes, NS::UInteger length, NS::UInteger index) {
  const auto* const begin = static_cast<const std::byte*>(bytes);
  self.add([copy = std::vector<std::byte>(begin, begin + length),
            number = static_cast<std::uint32_t>(index)](auto& encoder) { encoder.set_bytes(copy, number); });
}

void set_threadgroup_memory(EncoderModel& self, NS::UInteger length, NS::UInteger index) {
  if (length == 0) fault("setThreadgroupMemoryLength: length 0");
  self.add([=](auto& encoder) { encoder.set_threadgroup_memory_length(length, static_cast<std::uint32_t>(index)); });
}

void insert_signpost(EncoderModel& self, Object* name) {
  self.encoded.signposts.push_back(retained(name));
}

Size size_of(const MTL::Size& size) {
  return {size.width, size.height, size.depth};
}

void dispatch_threads(EncoderModel& self, MTL::Size grid, MTL::Size group) {
  self.add([=](auto& encoder) { encoder.dispatch_threads(size_of(grid), size_of(group)); });
}
void dispatch_groups(EncoderModel& self, MTL::Size groups, MTL::Size group) {
  self.add([=](auto& encoder) { encoder.dispatch_threadgroups(size_of(groups), size_of(group)); });
}
void memory_barrier(EncoderModel& self, MTL::BarrierScope scope) {
  if (scope != MTL::BarrierScopeBuffers) fault("memoryBarrierWithScope: not the buffers");
  self.add([](auto& encoder) { encoder.memory_barrier(); });
}

void end_encoding(EncoderModel& self) {
  if (self.has_ended) fault("endEncoding has already been called");
  self.has_ended = true;
  self.commands->is_encoding = false;
  self.commands->encoders.push_back(std::move(self.encoded));
}

Object* compute_encoder(CommandBufferHandle& self, MTL::DispatchType dispatch) {
  static const Class type{"MTLComputeCommandEncoder",
                          {{"setComputePipelineState:", method<set_pipeline>()},
                           {"setBuffer:offset:atIndex:", method<set_buffer>()},
                           {"setBytes:length:atIndex:", method<set_bytes>()},
                           {"setThreadgroupMemoryLength:atIndex:", method<set_threadgroup_memory>()},
                           {"dispatchThreads:threadsPerThreadgroup:", method<dispatch_threads>()},
                           {"dispatchThreadgroups:threadsPerThreadgroup:", method<dispatch_groups>()},
                           {"memoryBarrierWithScope:", method<memory_barrier>()},
                           {"insertDebugSignpost:", method<insert_signpost>()},
                           {"endEncoding", method<end_encoding>()}}};
  if (self.commands->is_encoding) fault("a command encoder is already encoding to this command buffer");
  if (self.commands->status != MTL::CommandBufferStatusNotEnqueued) fault("encoding to a committed command buffer");
  if (!has_encoder) return nullptr;
  self.commands->is_encoding = true;
  auto encoder = std::make_shared<EncoderModel>();
  encoder->commands = self.commands;
  encoder->encoded.type = dispatch;
  return autoreleased(new_object(type, std::move(encoder)));
}

void commit(CommandBufferHandle& self) {
  if (self.commands->is_encoding) fault("commit of a command buffer with an encoder that has not ended");
  if (self.commands->status != MTL::CommandBufferStatusNotEnqueued) fault("a second commit of a command buffer");
  self.commands->status = MTL::CommandBufferStatusCommitted;
  for (const auto& buffer : self.commands->buffers) ++*buffer;
  const std::lock_guard lock(self.queue->mutex);
  self.queue->waiting.push_back(self.commands);
}

void wait_until_completed(CommandBufferHandle& self) {
  if (self.commands->status == MTL::CommandBufferStatusNotEnqueued) fault("waitUntilCompleted before commit");
  self.queue->run_until(self.commands.get());
}

MTL::CommandBufferStatus status(CommandBufferHandle& self) {
  return self.commands->status;
}
Object* error_of(CommandBufferHandle& self) {
  return self.commands->error.get();
}
double start_time(CommandBufferHandle&) {
  return 0;
}
double end_time(CommandBufferHandle& self) {
  return self.commands->seconds;
}

struct QueueHandle {
  std::shared_ptr<QueueModel> queue = std::make_shared<QueueModel>();
};

struct DescriptorModel {
  MTL::CommandBufferErrorOption options = MTL::CommandBufferErrorOptionNone;
};
void set_error_options(DescriptorModel& self, MTL::CommandBufferErrorOption options) {
  self.options = options;
}

Object* described_command_buffer(QueueHandle& self, Object* descriptor) {
  static const Class type{"MTLCommandBuffer",
                          {{"computeCommandEncoderWithDispatchType:", method<compute_encoder>()},
                           {"commit", method<commit>()},
                           {"waitUntilCompleted", method<wait_until_completed>()},
                           {"status", method<status>()},
                           {"error", method<error_of>()},
                           {"GPUStartTime", method<start_time>()},
                           {"GPUEndTime", method<end_time>()}}};
  if (!has_command_buffer) return nullptr;
  auto handle = std::make_shared<CommandBufferHandle>();
  handle->queue = self.queue;
  handle->commands->tells_encoders = descriptor && state_of<DescriptorModel>(descriptor).options ==
                                                       MTL::CommandBufferErrorOptionEncoderExecutionStatus;
  return autoreleased(new_object(type, std::move(handle)));
}

Object* command_buffer(QueueHandle& self) {
  return described_command_buffer(self, nullptr);
}

}  // namespace

void lack_commands(bool command_buffer, bool encoder) {
  has_command_buffer = !command_buffer;
  has_encoder = !encoder;
}

const Class& command_buffer_descriptor_class() {
  static const Class type{"MTLCommandBufferDescriptor",
                          {{"init", reinterpret_cast<Method>(&initialise<DescriptorModel>)},
                           {"setErrorOptions:", method<set_error_options>()}}};
  return type;
}

Object* new_queue() {
  static const Class type{"MTLCommandQueue",
                          {{"commandBufferWithDescriptor:", method<described_command_buffer>()},
                           {"commandBuffer", method<command_buffer>()}}};
  return new_object(type, std::make_shared<QueueHandle>());
}

}  // namespace assay::metal::apple::model
