#!/usr/bin/env python3
"""planted_faults.py SOURCE FOLDER COMPILER FLAG... -- LINKER ITEM...: faults in metal/apple that its tests catch.

For each fault a line of metal/apple is edited, that source is compiled and linked before the library, whose own object
is then not used, and the tests must fail with the words that name the fault.
"""

import pathlib
import shutil
import subprocess
import sys

# What goes wrong: the source, its text, the text instead, and what the tests then say.
FAULTS = {
    "a leak": ("apple_buffer.cpp", "NS::TransferPtr(device->device->newBuffer(length, MTL::ResourceStorageModeShared))",
               "NS::RetainPtr(device->device->newBuffer(length, MTL::ResourceStorageModeShared))", "objects are left"),
    "an over-release": ("apple_queue.cpp", "NS::RetainPtr(buffer)",
                        "NS::TransferPtr(buffer)", "to a released MTLCommandBuffer"),
    "no pool": ("apple_library.cpp", "std::vector<std::string> AppleLibrary::function_names() const {\n"
                "  const auto pool = autorelease_pool();",
                "std::vector<std::string> AppleLibrary::function_names() const {",
                "NSArray is autoreleased where its thread has no pool"),
    "no wait": ("apple_queue.cpp", "  buffer_->waitUntilCompleted();\n", "", "while commands use it"),
    "an encoder that does not end": ("apple_encoder.cpp", "  encoder_->endEncoding();\n  finish_", "  finish_",
                                     "an encoder that has not ended"),
    "grid and group swapped": ("apple_encoder.cpp", "dispatchThreads(mtl_size(grid), mtl_size(group))",
                               "dispatchThreads(mtl_size(group), mtl_size(grid))", "[  FAILED  ]"),
    "groups and group swapped": ("apple_encoder.cpp", "dispatchThreadgroups(mtl_size(groups), mtl_size(group))",
                                 "dispatchThreadgroups(mtl_size(group), mtl_size(groups))",
                                 "AppleDeviceTest.BarriersOrderThreadgroupMemory\n\n 1 FAILED"),
    "fast maths": ("apple_library.cpp", "setFastMathEnabled(false)", "setFastMathEnabled(true)",
                   "compiled with fast maths"),
    "private storage": ("apple_buffer.cpp", "MTL::ResourceStorageModeShared", "MTL::ResourceStorageModePrivate",
                        "the storage is not shared"),
    "no barrier": ("apple_encoder.cpp", "encoder_->memoryBarrier(MTL::BarrierScopeBuffers)", "(void)0", "reported"),
    "always concurrent": ("apple_queue.cpp", ": MTL::DispatchTypeSerial", ": MTL::DispatchTypeConcurrent", "reported"),
    "an offset lost": ("apple_encoder.cpp", "bound_[index].offset, index)", "0, index)", "[  FAILED  ]"),
    "no reflection": ("apple_function.cpp", "MTL::PipelineOptionArgumentInfo | MTL::PipelineOptionBufferTypeInfo",
                      "MTL::PipelineOptionNone", "[  FAILED  ] AppleDeviceTest.ArgumentsAreReflected"),
    "no pool in an encoder": ("apple_encoder.cpp", "  const auto pool = autorelease_pool();\n  encoder_->setBytes",
                              "  encoder_->setBytes", "NSString is autoreleased where its thread has no pool"),
    "constants looked up again": ("apple_library.cpp", "if (!all_constants_) {", "{ all_constants_.reset();",
                                  "AppleModelTest.ConstantsAreLookedUpOnce"),
    "a NUL cuts the text": ("apple_objects.h", "if (text.find('\\0') != std::string::npos) return {};", "",
                            "AppleDeviceTest.TextsWithNulAreRefused"),
    "nil wrapped": ("apple_queue.cpp", "  if (!buffer) return nullptr;\n", "", "AppleModelTest.SaysWhatIsMissing"),
    "a short buffer": ("apple_encoder.cpp", "if (Result<void> fit = check_room(kernel, argument, bound.offset, "
                       "bound.length); !fit) return fit;", "", "AppleDeviceTest.BuffersHoldAnElement"),
    "no encoder info": ("apple_queue.cpp", "CommandBufferErrorOptionEncoderExecutionStatus",
                        "CommandBufferErrorOptionNone",
                        "AppleModelTest.FailuresNameTheKernel"),
    "length 0": ("apple_encoder.cpp", "std::max<std::uint64_t>(length, 16)", "length",
                 "setThreadgroupMemoryLength: length 0"),
}


def planted(folder, fault, source_folder):
    """The source with the fault; for a fault in a header, a source that includes it."""
    name, text, instead, _ = FAULTS[fault]
    folder = folder / "metal" / "apple"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    source = (source_folder / "metal" / "apple" / name).read_text()
    if source.count(text) != 1:
        sys.exit(f"{fault}: {name} has {source.count(text)} times, not once: {text}")
    file = folder / name
    file.write_text(source.replace(text, instead))
    return file if file.suffix == ".cpp" else source_folder / "metal" / "apple" / "apple_library.cpp"


def main():
    source_folder, folder = map(pathlib.Path, sys.argv[1:3])
    split = sys.argv.index("--")
    compiler, linker = sys.argv[3:split], sys.argv[split + 1:]
    failures = 0
    for fault, (_, _, _, words) in FAULTS.items():
        program, edited = folder / "program", folder / "edited.o"
        source = planted(folder, fault, source_folder)
        subprocess.run([compiler[0], f"-I{folder}", *compiler[1:], "-c", source, "-o", edited], check=True)
        subprocess.run([linker[0], edited, *linker[1:], "-o", program], check=True)
        run = subprocess.run([program], capture_output=True, text=True, errors="replace", timeout=120)
        output = run.stdout + run.stderr
        if run.returncode != 0 and words in output:
            print(f"{fault}: caught")
            continue
        failures += 1
        print(f"{fault}: NOT CAUGHT: exit status {run.returncode}, expected the words '{words}' in\n{output[-3000:]}")
    sys.exit(1 if failures else 0)


main()
