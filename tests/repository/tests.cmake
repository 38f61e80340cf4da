# Tests of the repository itself: layering, formatting, data, scripts. Every test_*.py here is one CTest test.
# Debian's own Python, where there is one: Debian's Python packages are for it and for no other.
find_program(RAREFACT_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(RAREFACT_PYTHON python3)

if(RAREFACT_PYTHON)
  file(GLOB repository_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
  if(RAREFACT_SANITIZE)
    # Drawing is Python's business, a sanitizer's memory and allocator are its own, and who links its library needs its flags.
    list(FILTER repository_tests EXCLUDE REGEX "test_(addresses|consumer|debian|figures|install|report|memory|pages|python|notebook|site)\\.py$")
  endif()
  foreach(file ${repository_tests})
    get_filename_component(name ${file} NAME_WE)
    string(REPLACE "test_" "repository: " name ${name})
    add_test(NAME ${name} COMMAND ${RAREFACT_PYTHON} -B ${file} --verbose)
    # A check that could not be made here shows as skipped, not as passed.
    set_tests_properties(${name} PROPERTIES TIMEOUT 60 SKIP_REGULAR_EXPRESSION "OK \\(skipped"
                         ENVIRONMENT "RAREFACT_PROGRAM=$<TARGET_FILE:rarefact>")
  endforeach()
  # Both write the list of what the program's part of an installation is.
  foreach(name debian install)
    if(TEST "repository: ${name}")
      set_tests_properties("repository: ${name}" PROPERTIES RESOURCE_LOCK installation)
    endif()
  endforeach()
  # matplotlib is slow to start and to draw, runs of millions of classes fill memory, and what is killed and resumed a
  # dozen times takes its time under a sanitizer.
  foreach(name debian figures report kill memory odd_places pages python notebook site)
    if(TEST "repository: ${name}")
      # The longest begin first, or one core would wait for them at the end.
      set_tests_properties("repository: ${name}" PROPERTIES TIMEOUT 300 COST 100)
    endif()
  endforeach()
  if(NOT RAREFACT_SANITIZE)
    function(test_of_tables title experiment)
      add_test(NAME "repository: ${title}" COMMAND ${RAREFACT_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/long_tables.py --verbose)
      set_tests_properties("repository: ${title}" PROPERTIES TIMEOUT 600
                           ENVIRONMENT "RAREFACT_PROGRAM=$<TARGET_FILE:rarefact>;RAREFACT_TABLES_OF=${experiment}" ${ARGN})
    endfunction()
    test_of_tables("a quadrillion distinct classes in the findings" zipf_at_scale LABELS long)
    test_of_tables("steps of Adam and Muon in the findings" steps_of_signs LABELS long)
    test_of_tables("imbalance by embedding in the findings" imbalance_by_embedding LABELS long)
    test_of_tables("recovered facts in the findings" paper/capacity LABELS long)
    add_test(NAME "repository: the table of theorems"
             COMMAND ${RAREFACT_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/long_verify.py --verbose)
    set_tests_properties("repository: the table of theorems" PROPERTIES LABELS long TIMEOUT 900
                         ENVIRONMENT "RAREFACT_PROGRAM=$<TARGET_FILE:rarefact>")
    add_test(NAME "repository: the report in a browser"
             COMMAND ${RAREFACT_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/report_in_browser.py --verbose)
    set_tests_properties("repository: the report in a browser" PROPERTIES LABELS long TIMEOUT 300
                         SKIP_REGULAR_EXPRESSION "OK \\(skipped"
                         ENVIRONMENT "RAREFACT_PROGRAM=$<TARGET_FILE:rarefact>")
    # Real schedulers: what they do between the parts is no business of a sanitizer.
    foreach(name slurm_array snakemake_file)
      string(REPLACE "_" " " title ${name})
      add_test(NAME "repository: ${title}" COMMAND ${RAREFACT_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/${name}.py --verbose)
      set_tests_properties("repository: ${title}" PROPERTIES LABELS long TIMEOUT 300 RUN_SERIAL ON
                           SKIP_REGULAR_EXPRESSION "OK \\(skipped"
                           ENVIRONMENT "RAREFACT_PROGRAM=$<TARGET_FILE:rarefact>")
    endforeach()
    # Downloads a Debian and builds the program in it: only where asked for (scripts/test --container).
    add_test(NAME "repository: image and cross build"
             COMMAND ${RAREFACT_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/container.py --verbose)
    set_tests_properties("repository: image and cross build" PROPERTIES LABELS container TIMEOUT 7200 RUN_SERIAL ON
                         SKIP_REGULAR_EXPRESSION "OK \\(skipped"
                         ENVIRONMENT "RAREFACT_PROGRAM=$<TARGET_FILE:rarefact>")
    # Seconds of Muon on 526 word groups; a minute under a sanitizer, which sees nothing there that shorter runs do not.
    add_test(NAME "repository: the experiment of the README's picture"
             COMMAND ${RAREFACT_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/long_kjv.py --verbose)
    set_tests_properties("repository: the experiment of the README's picture" PROPERTIES LABELS long TIMEOUT 300
                         ENVIRONMENT "RAREFACT_PROGRAM=$<TARGET_FILE:rarefact>")
  endif()
else()
  message(STATUS "No python3: the tests of the repository are left out")
endif()
