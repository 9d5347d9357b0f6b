#include "cli/completion.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/outputs.h"
#include "cli/verbs.h"

namespace ocilint::cli {

std::string short_text(const std::string& what) {
  constexpr std::size_t widest = 60;
  std::string out = what.substr(0, what.find_first_of(";:"));
  if (out.size() <= widest) return out;
  const std::size_t comma = out.rfind(',', widest);
  return out.substr(0, comma != std::string::npos ? comma : out.rfind(' ', widest));
}

Action add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app.footer(
      "Examples:\n"
      "  source <(ocilint completion bash)\n"
      "  ocilint completion zsh > ~/.zfunc/_ocilint      # a folder of $fpath\n"
      "  ocilint completion fish > ~/.config/fish/completions/ocilint.fish\n"
      "\n"
      "Exit status: 0 printed, 2 there is no such shell. The Debian package brings\n"
      "all three.\n");
  return [&app, shell] {
    const Command root = command_tree(*app.get_parent());
    return print(*shell == "bash"  ? bash_completion(root)
                 : *shell == "zsh" ? zsh_completion(root)
                                   : fish_completion(root));
  };
}

}  // namespace ocilint::cli
