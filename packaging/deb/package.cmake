# What `cmake --install` and the Debian package hold: the program, a manual page a command and one of policies, completion for three shells,
# the policies. Pages and completion are written by the program itself when it is built.
include(GNUInstallDirs)

set(parts ${CMAKE_BINARY_DIR}/package)
add_custom_command(OUTPUT ${parts}/done
  COMMAND ${CMAKE_COMMAND} -DOCILINT=$<TARGET_FILE:ocilint> -DPARTS=${parts} -DSOURCE=${CMAKE_SOURCE_DIR}
    -DVERSION=${PROJECT_VERSION} -P ${CMAKE_SOURCE_DIR}/packaging/deb/parts.cmake
  DEPENDS ocilint ${CMAKE_SOURCE_DIR}/packaging/deb/parts.cmake ${CMAKE_SOURCE_DIR}/CHANGELOG.md VERBATIM)
add_custom_target(package_parts ALL DEPENDS ${parts}/done)

install(TARGETS ocilint)
install(DIRECTORY ${parts}/man1 ${parts}/man5 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${parts}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ocilint)
install(FILES ${parts}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _ocilint)
install(FILES ${parts}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME ocilint.fish)
install(DIRECTORY policies DESTINATION ${CMAKE_INSTALL_DATADIR}/ocilint
  FILES_MATCHING PATTERN "*.yaml" PATTERN "*.json")
install(FILES packaging/deb/copyright ${parts}/changelog.gz ${parts}/changelog.Debian.gz
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
install(FILES packaging/deb/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ocilint)

# cpack would build the tests first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_CONTACT "ocilint maintainers <ocilint@packages.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "checks what an OCI image carries, layer by layer")
set(CPACK_PACKAGE_DESCRIPTION
"Reads the layers of a container image, without running or unpacking it, and
checks its merged files, history and configuration against a policy: replaced
libraries, package files, ELF symbols, permissions, secrets. It fails closed,
and it shows what it looked at.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded when a registry is asked for, so that shlibdeps does not see it.
set(CPACK_DEBIAN_PACKAGE_DEPENDS libcurl4)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
