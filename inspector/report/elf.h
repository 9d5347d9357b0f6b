// `ocilint elf` as text and JSON. Pure.
#pragma once

#include <string>

#include "look/elf.h"
#include "report/look_head.h"

namespace ocilint {

/// `tree`: every name below the object that asks for it, else those of the file itself alone.
std::string write_elf_text(const ElfLook& look, const LookStyle& style, bool tree = false);
std::string write_elf_json(const ElfLook& look);

}  // namespace ocilint
