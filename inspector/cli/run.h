// The command line: parses arguments, runs a verb, returns the exit status (run/verdict.h). The only folder that
// prints, reads the environment and knows the terminal.
#pragma once

namespace ocilint::cli {

int run(int argc, char** argv);

}  // namespace ocilint::cli
