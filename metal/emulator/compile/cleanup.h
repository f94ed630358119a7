// Removes, when the program is interrupted, the compilers that it runs and their temporary folders.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace assay::metal::emulator {

/// From now on SIGINT, SIGTERM and SIGHUP end the compilers of this process and remove its temporary folders before
/// they end the process. For the main function of a program.
void clean_up_when_interrupted();

/// Whether clean_up_when_interrupted() was called. Compilers then have process groups of their own.
bool cleans_up_when_interrupted();

/// Adds to and takes from what an interrupt removes. A process is the leader of a process group.
void note_folder(const std::filesystem::path& folder);
void forget_folder(const std::filesystem::path& folder);
void note_process(pid_t process);
void forget_process(pid_t process);

}  // namespace assay::metal::emulator
