# Results made by hand, for Python and the command line. Included by tests/CMakeLists.txt.
add_executable(write_result ${CMAKE_CURRENT_LIST_DIR}/sample/write_result.cpp)
target_include_directories(write_result PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
target_link_libraries(write_result PRIVATE rarefact_results)
target_compile_options(write_result PRIVATE ${RAREFACT_LIGHT_FLAGS})
rarefact_use_headers(write_result light_)
add_dependencies(compute write_result)

# What Python users see of a result file. Debian's own Python, where its xarray is.
add_test(NAME "results: xarray and h5py read a result file plainly"
  COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/read_result.py $<TARGET_FILE:write_result>)
set_tests_properties("results: xarray and h5py read a result file plainly" PROPERTIES TIMEOUT 170)

# What LaTeX makes of our tables; skipped, with the reason, where there is no LaTeX.
add_test(NAME "tables: pdflatex compiles tables"
  COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/../tables/latex_table.py $<TARGET_FILE:write_result> $<TARGET_FILE:rarefact>)
set_tests_properties("tables: pdflatex compiles tables" PROPERTIES TIMEOUT 170 SKIP_RETURN_CODE 77)

# Under a sanitizer verify: statements runs and writes them.
if(NOT RAREFACT_SANITIZE)
  add_test(NAME "verify: pdflatex compiles its table and h5py reads its report"
    COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/../verify/report_outputs.py $<TARGET_FILE:rarefact>)
  set_tests_properties("verify: pdflatex compiles its table and h5py reads its report" PROPERTIES TIMEOUT 170)
endif()
