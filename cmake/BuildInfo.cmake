# Generates io/build_info.hpp, the provenance that a result file has of the program that wrote it.
# In two passes: most is filled in when CMake runs; the git commit is read at every build, and the header is touched
# only if its text changes, so that only the few files that include it are compiled again.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(JOIN " " RAREFACT_ALL_FLAGS ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}} -std=c++${CMAKE_CXX_STANDARD}
       ${RAREFACT_COMPILE_FLAGS})
set(RAREFACT_GIT_COMMIT "@RAREFACT_GIT_COMMIT@")
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_info.hpp.in ${PROJECT_BINARY_DIR}/build_info.hpp.in @ONLY)
find_package(Git QUIET)
add_custom_target(rarefact_build_info
  COMMAND ${CMAKE_COMMAND} -DGIT=${GIT_EXECUTABLE} -DSOURCE=${PROJECT_SOURCE_DIR}
          -DTEMPLATE=${PROJECT_BINARY_DIR}/build_info.hpp.in
          -DHEADER=${PROJECT_BINARY_DIR}/generated/io/build_info.hpp
          -P ${CMAKE_CURRENT_LIST_DIR}/WriteBuildInfo.cmake
  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/io/build_info.hpp
  VERBATIM)
add_dependencies(rarefact_io rarefact_build_info)
