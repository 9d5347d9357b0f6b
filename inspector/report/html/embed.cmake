# Writes the style and the script of the HTML report as C++ string literals.
file(READ ${STYLE} style)
file(READ ${SCRIPT} script)
file(WRITE ${OUTPUT} "// Written by inspector/report/html/embed.cmake.
#include \"report/html_parts.h\"
namespace ocilint {
const std::string_view html_style = R\"HTML(${style})HTML\";
const std::string_view html_script = R\"HTML(${script})HTML\";
}  // namespace ocilint
")
