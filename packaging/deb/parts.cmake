# Writes what the package holds besides the program, into PARTS. Run by package.cmake with OCILINT, SOURCE and VERSION.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${PARTS})
file(MAKE_DIRECTORY ${PARTS}/man1 ${PARTS}/man5)
run(${OCILINT} man --into ${PARTS}/man1)
file(RENAME ${PARTS}/man1/ocilint-policy.5 ${PARTS}/man5/ocilint-policy.5)
foreach(shell bash zsh fish)
  run(${OCILINT} completion ${shell} OUTPUT_FILE ${PARTS}/${shell})
endforeach()

# SOURCE_DATE_EPOCH fixes the date, here and on the pages.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${PARTS}/changelog.Debian
"ocilint (${VERSION}-1) unstable; urgency=medium

  * Release ${VERSION}; see /usr/share/doc/ocilint/changelog.gz.

 -- ocilint maintainers <ocilint@packages.invalid>  ${date}
")
file(COPY_FILE ${SOURCE}/CHANGELOG.md ${PARTS}/changelog)
file(GLOB pages ${PARTS}/man1/*.1 ${PARTS}/man5/*.5)
run(gzip -9n ${pages} ${PARTS}/changelog ${PARTS}/changelog.Debian)
file(TOUCH ${PARTS}/done)
