#include "facts/elf_machine.h"

#include <elf.h>
#include <fmt/format.h>

namespace ocilint {
namespace {

constexpr std::uint16_t loongarch = 258;  // EM_LOONGARCH; not in the headers of every system

struct Machine {
  std::string_view name;
  std::uint16_t number;
};
constexpr Machine machines[] = {{"x86-64", EM_X86_64}, {"i386", EM_386},    {"aarch64", EM_AARCH64},
                                {"arm", EM_ARM},       {"riscv", EM_RISCV}, {"ppc64", EM_PPC64},
                                {"s390", EM_S390},     {"mips", EM_MIPS},   {"loongarch", loongarch}};

}  // namespace

std::string elf_machine_text(std::uint16_t number) {
  for (const Machine& machine : machines)
    if (machine.number == number) return std::string(machine.name);
  return fmt::format("machine {}", number);
}

std::optional<std::uint16_t> elf_machine_number(std::string_view name) {
  for (const Machine& machine : machines)
    if (machine.name == name) return machine.number;
  return std::nullopt;
}

std::string elf_machine_names() {
  std::string names;
  for (const Machine& machine : machines) names += (names.empty() ? "" : ", ") + std::string(machine.name);
  return names;
}

}  // namespace ocilint
