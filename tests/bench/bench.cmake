# Benchmarks print goal and measured value; they are no tests. Build target: bench.
find_package(benchmark QUIET)
if(NOT benchmark_FOUND)
  message(STATUS "No Google Benchmark: the benchmarks are left out")
  return()
endif()
add_executable(bench ${CMAKE_CURRENT_LIST_DIR}/figures.cpp ${CMAKE_CURRENT_LIST_DIR}/dense.cpp
               ${CMAKE_CURRENT_LIST_DIR}/kernels.cpp)
target_compile_definitions(bench PRIVATE RAREFACT_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                           RAREFACT_PROGRAM="$<TARGET_FILE:rarefact>")
target_include_directories(bench PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(bench PRIVATE rarefact_sim rarefact_io benchmark::benchmark)
add_dependencies(bench rarefact)
set_target_properties(bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} EXCLUDE_FROM_ALL ON)
