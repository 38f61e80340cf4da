# Debian packages, made by cpack -G DEB: rarefact (the program and its files) and librarefact-dev.
set(CPACK_PACKAGE_NAME rarefact)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
# Distributors of packages set their own address.
set(CPACK_PACKAGE_CONTACT "The Rarefact authors <rarefact@users.invalid>" CACHE STRING "Maintainer of the Debian packages")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_COMPONENTS_ALL program library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

# Python draws figures and reports; computing does not need it.
execute_process(COMMAND bash -c ". scripts/lib.sh; packages figures" WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                OUTPUT_VARIABLE recommended OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE "\n" ", " CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "${recommended}")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME rarefact)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "simulator of how optimizers learn rare facts
Rarefact computes how GD, Adam, SignGD, Muon and their like learn facts of
power-law frequency in a one-layer associative memory, exactly and for any
number of facts, and puts the closed-form prediction beside every measured
trajectory.

Experiments are text files, results are HDF5 files. Figures and reports are
drawn with Python.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME librarefact-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "simulator of how optimizers learn rare facts (development files)
Headers, static library and CMake package of Rarefact, with which a C++
program runs experiments and reads their results.")
# The packages that cmake/rarefact-config.cmake.in finds.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
    "libdeflate-dev, libfmt-dev, libhdf5-dev, libssl-dev, libtbb-dev, libtomlplusplus-dev, pkg-config, zlib1g-dev")

# Every file has the time of the last commit; Debian's requirements for files are met between installing and
# packing.
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/DebianTime.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake)
set(CPACK_RAREFACT_SOURCE ${PROJECT_SOURCE_DIR})
include(CPack)
