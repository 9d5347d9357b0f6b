// A history line (OCI config.md, `created_by`) as its author wrote it: the instruction, without what builders
// put around it.
//
// Known are the classic builder (`/bin/sh -c #(nop) ENV …`, `|2 A=b C=d /bin/sh -c …`), BuildKit (`RUN |2 … #
// buildkit`), Buildah and kaniko. A RUN is broken where `&&` stands outside of quotes and parentheses, and
// everything is broken at line ends; runs of blanks become one. For people only: histories are written
// without quotes, so what belongs to a value is a guess. Strings stay raw bytes. Pure; linear in the line but
// for build arguments, where most_argument_words bounds the search for the shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ocilint {

struct Command {
  std::string instruction;         // "RUN"; "" when it is none of a Dockerfile
  std::string arguments;           // of the build, as a RUN saw them: "A=b C=d"
  std::vector<std::string> lines;  // the rest: "apt-get update", "&& apt-get install x"

  /// With the instruction, on one line.
  std::string text() const;
};

Command parse_command(std::string_view created_by);

}  // namespace ocilint
