// The protocol between a program and its assay_plugin_worker: plain structs over a socket, arrays in shared memory.
//
//   program                                     worker
//   argv: the library, the operation, the names of all operations; of a formula "forward" or "backward" alone
//                                               Answer: loaded, with the declaration
//   Request: each array by name, and its place
//                                               Answer: returned, and findings if they are wanted (findings.h), or the
//                                               residues of outputs; or faulted, after which the worker ends
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "validation/core/far_pages.h"
#include "validation/plugin/assay_formula.h"

namespace assay::validation::transport {

/// The descriptors of the files that are open when a worker starts.
inline constexpr int socket_file = 3, memory_file = 4;

/// The number of inaccessible pages around each array.
inline constexpr std::size_t guard_pages = 16;

/// An array as assay_array (assay_formula.h) describes it, within the shared memory: on separate pages, at the end of
/// the last page or less than 16 bytes before. An option is an array without axes and pages, whose value lies here.
struct Slot {
  std::uint64_t first_page = 0;  ///< offset of the first page, in bytes
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t first = 0;  ///< of the element at index 0, in bytes after `begin`: not 0 where an axis runs backwards
  std::uint64_t last_page = 0;  ///< offset of the end of the last page
  std::uint32_t element = 1;    ///< bytes of one element
  std::uint32_t writable = 0;
  FarArray far = {};  ///< of more bytes than there is memory: the shared memory has its parts, one by one
  std::array<char, 64> name{};
  std::int32_t dtype = 0, dimensions = 0;
  std::array<std::int64_t, 16> shape{};  ///< sizes, then as many strides, in elements
  std::uint32_t is_option = 0;
  alignas(8) std::array<std::byte, 8> option{};
};

/// The largest number of arrays and options. An array without elements is NULL.
inline constexpr std::size_t max_slots = 32;

/// A number that is changed whenever these structs change.
inline constexpr std::uint64_t protocol = 0xA55A'000B;

/// Whether the algebra is to know the elements of an array.
inline bool has_residues(const Slot& slot) {
  return slot.writable != 0 && slot.far.bytes == 0 && slot.dtype >= ASSAY_FLOAT32 && slot.dtype <= ASSAY_FLOAT64;
}

/// What is wanted of the floating-point operations of a call.
enum class Follows : std::uint32_t {
  nothing,
  numerics,  ///< findings
  algebra,   ///< the residues of results
};

struct Request {
  std::uint64_t magic = protocol;
  std::uint64_t call = 0;    ///< drawn at random, so that no plug-in can answer a request before it comes
  std::uint64_t memory = 0;  ///< bytes of the shared memory
  Follows follows = Follows::nothing;
  std::uint32_t chain = 0, roots_are_turned = 0;  ///< of residues
  std::array<Slot, max_slots> slots{};
  std::uint32_t arrays = 0;           ///< the slots that are used
  std::int32_t threads = 0;           ///< of OpenMP, for a library that uses it; 0: it is not told
  std::array<char, 200> operation{};  ///< its name
};

/// The common beginning of all declarations of kernels.
struct DeclarationStart {
  assay_header header;
  const char* name;
  int (*run)(const void* problem, const void* output, char* message, std::size_t message_size);
};
static_assert(sizeof(DeclarationStart) == offsetof(assay_ctc_kernel, dtype));

enum class Event : std::uint32_t {
  loaded,      ///< the declaration follows
  not_loaded,  ///< message says why
  returned,    ///< from run, with a status
  faulted      ///< accessed memory out of bounds
};

inline constexpr std::size_t largest_declaration = 1024, message_size = 1000;

struct Answer {
  std::uint64_t magic = protocol;
  std::uint64_t call = 0;  ///< that of the request; 0: loaded
  Event event = Event::loaded;
  std::int32_t status = 0;
  std::uint32_t is_write = 0;         ///< faulted: 1 write, 0 read, 2 unknown
  std::int32_t signal = 0;            ///< faulted
  std::uint64_t has_address = 0;      ///< faulted: the processor tells the address, and whether it is a write
  std::uint64_t address = 0;          ///< faulted
  std::uint64_t in_memory = 0;        ///< faulted: the address is an offset into the shared memory
  double processor_time = 0;          ///< returned: of the call, in seconds
  std::uint32_t is_instrumented = 0;  ///< loaded: 1 if its floating-point operations can be followed
  std::uint32_t uses_openmp = 0;      ///< loaded: 1 if it can be told how many threads to use
  std::uint64_t findings_bytes = 0;   ///< returned: of the findings or residues that come behind this struct
  std::array<char, message_size> message{};
  std::array<std::byte, largest_declaration> declaration{};  ///< the first struct_size bytes of the library's constant
  std::array<char, 200> name{};
};

}  // namespace assay::validation::transport
