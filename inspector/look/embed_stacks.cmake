# Writes known_stacks.yaml as a C++ string literal.
file(READ ${INPUT} body)
file(WRITE ${OUTPUT} "// Written by inspector/look/embed_stacks.cmake.
#include \"look/known_stacks.h\"
namespace ocilint {
std::string_view known_stacks_text() { return R\"STACKS(${body})STACKS\"; }
}  // namespace ocilint
")
