# Tests of the repository itself: layering, formatting, data, scripts, pages. Every test_*.py here is one CTest test, every
# long_*.py one with the label long.
# Debian's own Python, where there is one: Debian's Python packages are for it and for no other.
find_program(RAREFACT_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(RAREFACT_PYTHON python3)

if(RAREFACT_PYTHON)
  # A check that could not be made here shows as skipped, not as passed.
  function(repository_test name script)
    add_test(NAME "repository: ${name}" COMMAND ${RAREFACT_PYTHON} -B ${script})
    set_tests_properties("repository: ${name}" PROPERTIES TIMEOUT 300 SKIP_REGULAR_EXPRESSION "OK \\(skipped"
                         SKIP_RETURN_CODE 77 ENVIRONMENT "RAREFACT_PROGRAM=$<TARGET_FILE:rarefact>")
  endfunction()

  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/test_*.py ${CMAKE_CURRENT_LIST_DIR}/long_*.py)
  if(RAREFACT_SANITIZE)
    # The others test Python, scripts and installed files, or measure memory, where a sanitizer has its own.
    list(FILTER scripts INCLUDE REGEX "/test_(kill|odd_places|terminal|transcripts)\\.py$")
  endif()
  foreach(script ${scripts})
    get_filename_component(file ${script} NAME_WE)
    string(REGEX REPLACE "^(test|long)_" "" name ${file})
    repository_test(${name} "${script};--verbose")
    if(file MATCHES "^long_")
      set_tests_properties("repository: ${name}" PROPERTIES LABELS long)
    elseif(name MATCHES "^(dask|figures|kill|memory|odd_places|pip|python|report|session|transcripts)$")
      # The longest begin first, or one core would wait for them at the end.
      set_tests_properties("repository: ${name}" PROPERTIES COST 100)
    endif()
  endforeach()

  if(NOT RAREFACT_SANITIZE)
    set(docs ${PROJECT_SOURCE_DIR}/scripts/docs --check)
    repository_test("what the pages show" "${docs};--quick")
    set_tests_properties("repository: what the pages show" PROPERTIES COST 100)
    repository_test("what the pages show, slow outputs too" "${docs}")
    set_tests_properties("repository: what the pages show, slow outputs too" PROPERTIES LABELS long TIMEOUT 1200)
    # Both write the list of what the program's part of an installation is.
    set_tests_properties("repository: debian" "repository: install" PROPERTIES RESOURCE_LOCK installation)
    # With RAREFACT_ALL=1 pip builds the program.
    set_tests_properties("repository: pip" PROPERTIES TIMEOUT 3600)
    # Real schedulers.
    set_tests_properties("repository: slurm" "repository: snakemake" PROPERTIES RUN_SERIAL ON)
    # Downloads a Debian and builds the program in it.
    set_tests_properties("repository: container" PROPERTIES LABELS "long;container" TIMEOUT 7200 RUN_SERIAL ON)
  endif()
else()
  message(STATUS "No python3: the tests of the repository are left out")
endif()
