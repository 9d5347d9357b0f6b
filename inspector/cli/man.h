// Manual pages in man(7), written from the same text as --help: one page a command, ocilint(1) about
// them all, and ocilint-policy(5) from the schema and the rules.
//
// `date` is YYYY-MM-DD. Whatever the texts hold is escaped: no line of theirs is taken for a request. Pure.
#pragma once

#include <string>

#include "cli/commands.h"

namespace ocilint::cli {

/// ocilint(1): the commands, the exit status, every variable and file.
std::string manual(const Command& root, const std::string& date);

/// ocilint-NAME(1); the commands below it (policy validate) have a section each.
std::string manual(const Command& root, const Command& command, const std::string& date);

/// ocilint-policy(5): the language of policies, and every rule with its parameters.
std::string policy_manual(const std::string& date);

}  // namespace ocilint::cli
