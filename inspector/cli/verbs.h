// The verbs: each adds its options to a CLI11 command and gives back what runs it. A verb returns the exit
// status and throws Error; run.cpp turns what is thrown into a message and a status.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace ocilint::cli {

using Action = std::function<int()>;

Action add_check(CLI::App& app);
Action add_diff(CLI::App& app);
Action add_elf(CLI::App& app);
Action add_inspect(CLI::App& app);
Action add_history(CLI::App& app);
Action add_layers(CLI::App& app);
Action add_ls(CLI::App& app);
Action add_stat(CLI::App& app);
Action add_cat(CLI::App& app);
Action add_blame(CLI::App& app);
Action add_find(CLI::App& app);
Action add_packages(CLI::App& app);
Action add_rules(CLI::App& app);
Action add_explain(CLI::App& app);
Action add_policy(CLI::App& app);
Action add_schema(CLI::App& app);
Action add_completion(CLI::App& app);
Action add_man(CLI::App& app);

}  // namespace ocilint::cli
