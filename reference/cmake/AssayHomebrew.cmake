# Where Homebrew keeps what macOS has in a version of its own, or not at all: "keg-only" packages are on no search path.
find_program(ASSAY_BREW brew)
mark_as_advanced(ASSAY_BREW)
if(ASSAY_BREW)
  execute_process(COMMAND "${ASSAY_BREW}" --prefix OUTPUT_VARIABLE brew OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND CMAKE_PREFIX_PATH "${PROJECT_SOURCE_DIR}/build/prefix" "${brew}" "${brew}/opt/openblas"
       "${brew}/opt/llvm@19")
endif()
