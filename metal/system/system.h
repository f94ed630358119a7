// The functions that each operating system does in its own way: linux.h and macos.h have the same functions, and
// nothing else in metal/ or validation/ asks which system it is on, but for the context switch's assembly
// (metal/emulator/abi).
//
//   void advise_huge_pages(void* memory, std::size_t bytes)    // `bytes` will be used: huge pages save TLB misses
//   void fill_pages(void* memory, std::size_t bytes)           // finds memory for whole pages before they are used
//   void leave_out_of_dumps(void* memory, std::size_t bytes)   // reserved addresses would fill a core dump
//   void zero_pages(void* memory, std::size_t bytes)           // private memory, whole pages: readable and writable
//                                                              // zeros, which occupy memory
//                                                              // only once they are used
//   void map_pages(void* memory, std::size_t bytes)            // of a shared file: before they are used, since a fault
//                                                              // for each page takes ten times as long
//   void refuse_huge_pages()                                   // in this process and those that it starts
//   int open_anonymous_file()                                  // of no name, closed by exec; -1 and errno on an error
//   pid_t start_process(int (*body)(void*), void* argument)    // a new process runs `body`, which becomes another
//                                                              // program or returns an exit status. Until then it may
//                                                              // share this process's memory, and may only make
//                                                              // system calls. -1 and errno on an error
//   bool ends_within(pid_t process, int seconds)               // waits for a child, and leaves it to waitpid(); true
//                                                              // at once where the system cannot tell
//   std::vector<std::string> undefined_symbols(std::string_view library)
//                                                              // the names that a shared library, given by its bytes,
//                                                              // leaves for others to define
//   bool is_mathematics(const std::string& name)               // whether the C library of mathematics defines it
//   std::string processor_features()                           // on which code for this processor depends;
//                                                              // empty if not known
//   std::optional<std::size_t> address_space_bytes()           // mapped by this process; empty if not known
//   std::optional<double> processor_seconds(pid_t process)     // of all its threads until now; empty if not known
//   void end_with_parent(int signal)                           // this process gets the signal when the thread that
//                                                              // started it ends, if the system can do it
//
// A signal's handler is given the `context` of the thread that the signal has interrupted:
//
//   std::uintptr_t program_counter(void* context)
//   void set_registers(void* context, std::uintptr_t pc, std::uintptr_t stack_top)
//                                     // continue at `pc` with an empty stack below `stack_top`, a multiple of 16. On
//                                     // x86-64 the slot of the return address lies there, as after a call
//   std::optional<bool> is_write(const void* context)          // of an access that failed, if the processor tells
//   bool has_address(const siginfo_t& info)                    // whether si_addr is that of the access that failed:
//                                                              // x86-64 tells none past the addresses that it has
#pragma once

#if defined(__APPLE__)
#include "metal/system/macos.h"
#else
#include "metal/system/linux.h"
#endif
