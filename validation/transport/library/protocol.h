// What a program and its assay_plugin_worker say to each other: plain structs over a socket, arrays in shared memory.
//
//   program                                     worker
//   argv: the library, the operation, the names of all operations
//                                               Answer: loaded, with the declaration
//   Request: where each array lies, the problem
//                                               Answer: returned, or faulted (and then the worker is gone)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "validation/plugin/assay_plugin.h"

namespace assay::validation::transport {

/// The files that a worker finds open.
inline constexpr int socket_file = 3, memory_file = 4;

/// Pages around each array that may not be touched.
inline constexpr std::size_t guard_pages = 16;

/// An array within the shared memory. It lies on pages of its own, against their end.
struct Slot {
  std::uint64_t first_page = 0;  ///< offset of its pages, in bytes
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t last_page = 0;  ///< offset of what follows its pages
  std::uint32_t element = 1;    ///< bytes of one
  std::uint32_t writable = 0;
  std::uint32_t pointer_at = 0;  ///< offset of the pointer to it in the problem or, of a writable one, in the output
  std::uint32_t size_at = 0;     ///< likewise of the number of its elements
};

/// An array of no elements is NULL.
inline constexpr std::size_t max_slots = 16;

/// A number that changes whenever these structs do.
inline constexpr std::uint64_t protocol = 0xA55A'0002;

struct Request {
  std::uint64_t magic = protocol;
  std::uint64_t memory = 0;  ///< bytes that are shared
  std::array<Slot, max_slots> slots{};
  // The structs of assay_plugin.h, whose pointers and sizes of arrays are the worker's to fill in.
  alignas(8) std::array<std::byte, 256> problem{};
  alignas(8) std::array<std::byte, 256> output{};
};

/// How every declaration of a kernel begins.
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
  faulted      ///< touched memory that it may not
};

inline constexpr std::size_t largest_declaration = 1024, message_size = 1000;

struct Answer {
  std::uint64_t magic = protocol;
  Event event = Event::loaded;
  std::int32_t status = 0;
  std::uint32_t is_write = 0;   ///< faulted: 1 write, 0 read, 2 unknown
  std::int32_t signal = 0;      ///< faulted
  std::uint64_t address = 0;    ///< faulted
  std::uint64_t in_memory = 0;  ///< faulted: the address is an offset into the shared memory
  std::array<char, message_size> message{};
  std::array<std::byte, largest_declaration> declaration{};  ///< as the library has it, as far as its struct_size
  std::array<char, 200> name{};
};

}  // namespace assay::validation::transport
