# Read by cpack when it starts: sets the time of the commit, so that packages of one commit have equal bytes.
# Without git the time is that of the changelog.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C ${CPACK_RAREFACT_SOURCE} log -1 --format=%ct
                  OUTPUT_VARIABLE time OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    file(TIMESTAMP ${CPACK_RAREFACT_SOURCE}/CHANGELOG.md time %s)
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${time})
endif()
