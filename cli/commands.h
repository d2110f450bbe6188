#pragma once

// Commands: each function adds one subcommand to the program: its options, its help, and what it runs.

namespace CLI {
class App;
}

namespace kedge {

void add_fit(CLI::App& app);
void add_cv(CLI::App& app);
void add_predict(CLI::App& app);
void add_sample(CLI::App& app);
void add_diagnose(CLI::App& app);
void add_info(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_report(CLI::App& app);
void add_list(CLI::App& app);
void add_demo(CLI::App& app);

}  // namespace kedge
