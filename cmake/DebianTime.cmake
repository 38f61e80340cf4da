# Read by cpack before it starts: packages of one commit are equal, byte for byte. Without git it is the time of the changelog.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C ${CPACK_RAREFACT_SOURCE} log -1 --format=%ct
                  OUTPUT_VARIABLE time OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    file(TIMESTAMP ${CPACK_RAREFACT_SOURCE}/CHANGELOG.md time %s)
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${time})
endif()
