// Completion scripts for three shells. Nearly all that they offer is in their text, so that a TAB starts no program.
//
// They know commands, options, choices, transports of references, shipped policies with their gates, rules and formats;
// what is a file is left to the shell. The checks of the policies on the line, or of those that would be taken here,
// are asked of `ocilint policy checks`, which reads the policies and nothing else. Sources: the command line as data
// (commands.h). Pure.
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
