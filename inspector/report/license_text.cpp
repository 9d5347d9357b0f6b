#include "report/license_text.h"

#include <algorithm>

namespace ocilint {
namespace {

constexpr std::string_view ids[] = {"0BSD",
                                    "AFL-2.1",
                                    "AGPL-3.0-only",
                                    "AGPL-3.0-or-later",
                                    "Apache-1.1",
                                    "Apache-2.0",
                                    "Artistic-1.0",
                                    "Artistic-1.0-Perl",
                                    "Artistic-2.0",
                                    "BSD-1-Clause",
                                    "BSD-2-Clause",
                                    "BSD-3-Clause",
                                    "BSD-4-Clause",
                                    "BSL-1.0",
                                    "BlueOak-1.0.0",
                                    "CC-BY-3.0",
                                    "CC-BY-4.0",
                                    "CC-BY-SA-3.0",
                                    "CC-BY-SA-4.0",
                                    "CC0-1.0",
                                    "CDDL-1.0",
                                    "EPL-1.0",
                                    "EPL-2.0",
                                    "FTL",
                                    "GFDL-1.3-only",
                                    "GFDL-1.3-or-later",
                                    "GPL-1.0-or-later",
                                    "GPL-2.0-only",
                                    "GPL-2.0-or-later",
                                    "GPL-3.0-only",
                                    "GPL-3.0-or-later",
                                    "HPND",
                                    "ICU",
                                    "IJG",
                                    "ISC",
                                    "LGPL-2.0-only",
                                    "LGPL-2.0-or-later",
                                    "LGPL-2.1-only",
                                    "LGPL-2.1-or-later",
                                    "LGPL-3.0-only",
                                    "LGPL-3.0-or-later",
                                    "Libpng",
                                    "MIT",
                                    "MIT-0",
                                    "MIT-CMU",
                                    "MPL-1.1",
                                    "MPL-2.0",
                                    "MS-PL",
                                    "NCSA",
                                    "OFL-1.1",
                                    "OLDAP-2.8",
                                    "OpenSSL",
                                    "PSF-2.0",
                                    "PostgreSQL",
                                    "Python-2.0",
                                    "Ruby",
                                    "SSH-OpenSSH",
                                    "Sleepycat",
                                    "TCL",
                                    "UPL-1.0",
                                    "Unicode-3.0",
                                    "Unicode-DFS-2016",
                                    "Unlicense",
                                    "Vim",
                                    "W3C",
                                    "WTFPL",
                                    "X11",
                                    "ZPL-2.1",
                                    "Zlib",
                                    "bzip2-1.0.6",
                                    "curl",
                                    "libpng-2.0",
                                    "zlib-acknowledgement"};

constexpr std::string_view exceptions[] = {
    "Autoconf-exception-2.0",  "Autoconf-exception-3.0", "Bison-exception-2.2",
    "Classpath-exception-2.0", "GCC-exception-2.0",      "GCC-exception-3.1",
    "LLVM-exception",          "Linux-syscall-note",     "OCaml-LGPL-linking-exception"};

bool is_exception(std::string_view text) { return std::ranges::find(exceptions, text) != std::ranges::end(exceptions); }

}  // namespace

bool is_license_id(std::string_view text) { return std::ranges::find(ids, text) != std::ranges::end(ids); }

bool is_license_expression(std::string_view text) {
  // operand: an identifier or a group; after it comes an operator or the end of a group.
  enum class Want { operand, operator_, exception } want = Want::operand;
  bool may_have_exception = false;
  std::size_t depth = 0;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return want == Want::operator_ && depth == 0;
    const bool parenthesis = text[0] == '(' || text[0] == ')';
    const std::string_view word = parenthesis ? text.substr(0, 1) : text.substr(0, text.find_first_of(" ()"));
    text.remove_prefix(word.size());
    if (want == Want::exception) {
      if (!is_exception(word)) return false;
      want = Want::operator_;
      may_have_exception = false;
    } else if (want == Want::operand) {
      if (word == "(") {
        ++depth;
      } else {
        if (!is_license_id(word)) return false;
        want = Want::operator_;
        may_have_exception = true;
      }
    } else if (word == ")") {
      if (depth-- == 0) return false;
      may_have_exception = false;
    } else if (word == "AND" || word == "OR") {
      want = Want::operand;
    } else if (word == "WITH" && may_have_exception) {
      want = Want::exception;
    } else {
      return false;
    }
  }
}

}  // namespace ocilint
