#pragma once

// Commands: each function adds one subcommand to the program: its options, its help, and what it runs.

#include "cli/command.h"

namespace kedge {

void add_fit(const Command& app);
void add_cv(const Command& app);
void add_sweep(const Command& app);
void add_predict(const Command& app);
void add_collect(const Command& app);
void add_imitate(const Command& app);
void add_rollout(const Command& app);
void add_expert(const Command& app);
void add_sample(const Command& app);
void add_diagnose(const Command& app);
void add_info(const Command& app);
void add_reproduce(const Command& app);
void add_merge_jobs(const Command& app);
void add_report(const Command& app);
void add_list(const Command& app);
void add_demo(const Command& app);
void add_completion(const Command& app);
/// Only declares it: the program turns `help fit` into `fit --help` before it reads its words. To be called
/// last.
void add_help(const Command& app);
/// Hidden from the help: for those who package kedge.
void add_man(const Command& app);

}  // namespace kedge
