// What a program and its assay_plugin_worker say to each other: plain structs over a socket, arrays in shared memory.
//
//   program                                     worker
//   argv: the library, the operation
//                                               Answer: loaded, with the declaration
//   Request: where each array lies, the problem
//                                               Answer: returned, or faulted (and then the worker is gone)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "validation/plugin/assay_plugin.h"

namespace assay::validation::plugin {

enum class Operation : std::uint32_t { ctc, cce, svd };
inline constexpr std::array<const char*, 3> operation_names = {"ctc", "cce", "svd"};

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
};

/// Arrays in the order of the pointers in the problem, then of those in the output; one of no elements is NULL.
inline constexpr std::size_t most_slots = 9;

/// A number that changes whenever these structs do.
inline constexpr std::uint64_t protocol = 0xA55A'0001;

struct Request {
  std::uint64_t magic = protocol;
  std::uint64_t memory = 0;  ///< bytes that are shared
  std::array<Slot, most_slots> slots{};
  union Problem {
    assay_ctc_problem ctc{};
    assay_cce_problem cce;
    assay_svd_problem svd;
  } problem;  ///< its pointers are the worker's to fill in
};

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

}  // namespace assay::validation::plugin
