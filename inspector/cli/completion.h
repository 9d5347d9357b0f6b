// Completion scripts for three shells: text only, everything that they offer is in it, so that a TAB starts no program.
//
// They know commands, options, choices, transports of references, shipped policies with their checks and gates, rules
// and formats; what is a file is left to the shell. Sources: the command line as data (commands.h). Pure.
#pragma once

#include <string>

#include "cli/commands.h"

namespace ocilint::cli {

std::string bash_completion(const Command& root);
std::string zsh_completion(const Command& root);
std::string fish_completion(const Command& root);

/// The first clause of a description: what fits beside a candidate.
std::string short_text(const std::string& what);

}  // namespace ocilint::cli
