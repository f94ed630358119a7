# Installs the headers, libraries and program, and exports the package that find_package(assay) reads.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/assay")

set(libraries reference cpu_ctc metal metal_host device emulator nvidia devices gate validation formula)
if(TARGET assay_apple)
  list(APPEND libraries apple)
endif()
foreach(library IN LISTS libraries)
  set_target_properties(assay_${library} PROPERTIES EXPORT_NAME ${library})
  install(TARGETS assay_${library} EXPORT assayTargets)
endforeach()

# The headers that users include; the headers that these include are installed with them.
set(public_headers
    metal/cpu/cce/any.h
    metal/cpu/cce/loss.h
    metal/cpu/ctc/any.h
    metal/cpu/ctc/loss.h
    metal/cpu/svd/any.h
    metal/cpu/svd/gradient.h
    metal/cpu/svd/svd.h
    metal/devices/devices.h
    metal/emulator/emulator_device.h
    metal/host/cce/cce.h
    metal/host/ctc/ctc.h
    metal/host/kernel_file.h
    metal/host/svd/svd.h
    metal/nvidia/nvidia_device.h
    validation/cce/operation.h
    validation/core/subject_of.h
    validation/ctc/operation.h
    validation/formula/operation.h
    validation/shader/check.h
    validation/svd/operation.h)
if(TARGET assay_apple)
  list(APPEND public_headers metal/apple/adopt.h metal/apple/system_device.h)
endif()
file(GLOB_RECURSE documented RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/reference/*.h"
     "${PROJECT_SOURCE_DIR}/metal/device/*.h")
set(left ${public_headers} ${documented})
while(left)
  list(POP_FRONT left header)
  list(APPEND installed ${header})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES "${PROJECT_SOURCE_DIR}/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/assay/${folder}")
  file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" included REGEX "^#include \"")
  list(TRANSFORM included REPLACE "^#include \"(.*)\".*" "\\1")
  list(APPEND left ${included})
  list(REMOVE_DUPLICATES left)
  list(REMOVE_ITEM left ${installed})
endwhile()
# For the authors of plug-ins, and the program that calls them.
install(FILES "${PROJECT_SOURCE_DIR}/validation/plugin/assay_plugin.h"
              "${PROJECT_SOURCE_DIR}/validation/plugin/assay_formula.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS assay_plugin_worker DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/assay")
# The production kernels, which are compiled where they run.
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/metal/kernels"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/assay"
  FILES_MATCHING
  PATTERN "*.metal"
  PATTERN "*.h")
# The headers that shaders include, metal_stdlib and the like, have no ending.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/metal/emulator/include"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/assay/metal/emulator")
if(TARGET assay)
  install(TARGETS assay)
  install(FILES "${PROJECT_SOURCE_DIR}/notebooks/data/speech.npz" DESTINATION "${CMAKE_INSTALL_DATADIR}/assay")
endif()

install(
  EXPORT assayTargets
  NAMESPACE assay::
  DESTINATION "${package_dir}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/assayConfig.cmake.in" "${PROJECT_BINARY_DIR}/assayConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/assayConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
file(GLOB find_modules "${PROJECT_SOURCE_DIR}/*/cmake/Find*.cmake")
list(FILTER find_modules EXCLUDE REGEX "MetalCpp") # assay::apple needs it to be built, not to be used
install(FILES "${PROJECT_BINARY_DIR}/assayConfig.cmake" "${PROJECT_BINARY_DIR}/assayConfigVersion.cmake" ${find_modules}
        DESTINATION "${package_dir}")

# The same for pkg-config, wherever the prefix is moved to.
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH to_prefix "/${pkgconfig_dir}" "/")
cmake_path(NORMAL_PATH to_prefix)
if(ASSAY_HAS_MPFR)
  string(APPEND reference_definitions " -DASSAY_HAVE_GMP -DASSAY_HAVE_MPFR")
  set(reference_libraries "-lmpfr -lgmp")
endif()
if(ASSAY_HAS_ARB)
  string(APPEND reference_definitions " -DASSAY_HAVE_ARB -I${Arb_INCLUDE_DIR}")
  cmake_path(GET Arb_LIBRARY STEM arb)
  string(REGEX REPLACE "^lib" "-l" arb "${arb}")
  string(PREPEND reference_libraries "${arb} -lflint ")
endif()
foreach(module IN ITEMS reference plugin)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/assay-${module}.pc.in" "${PROJECT_BINARY_DIR}/assay-${module}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/assay-${module}.pc" DESTINATION "${pkgconfig_dir}")
endforeach()

# cpack -G DEB: a package for the Debian on which this was built.
set(CPACK_PACKAGE_CONTACT "the authors of Assay <assay@localhost>")
set(CPACK_PACKAGE_VENDOR "")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # it depends on the packages of the libraries that the program loads
set(CPACK_DEBIAN_PACKAGE_SUGGESTS clang-19)
set(CPACK_STRIP_FILES ON)
include(CPack)
