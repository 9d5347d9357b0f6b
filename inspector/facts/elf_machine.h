// Names of e_machine, as policies and reports write them (System V gABI, the ELF header). Pure; never throws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ocilint {

/// "x86-64"; "machine 4660" for one without a name here.
std::string elf_machine_text(std::uint16_t machine);
/// The number of a name; nullopt for what is none.
std::optional<std::uint16_t> elf_machine_number(std::string_view name);
/// "x86-64, i386, …": every name, for messages.
std::string elf_machine_names();

}  // namespace ocilint
