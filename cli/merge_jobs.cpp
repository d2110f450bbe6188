#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/input.h"
#include "cli/output.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/jobs/merge.h"

namespace kedge {
namespace {

struct MergeFlags {
  std::vector<std::string> folders;
  std::string jobs = "out/jobs";
  bool quiet = false;
};

void run(const MergeFlags& flags) {
  const JobMerge merge = merge_jobs(flags.folders, flags.jobs);
  if (!flags.quiet)
    print(fmt::format("{}: {} copied, {} known already\n", flags.jobs, merge.copied, merge.known));
  if (!merge.empty.empty() && !flags.quiet)
    say(fmt::format(
        "found no result in {}; results are in the folder that --jobs named, often one called jobs",
        fmt::join(merge.empty, ", ")));
  if (merge.refused.empty()) return;
  // All of them by name, and one line.
  throw Error("merge",
              fmt::format("{} of {} files were left out: {}; compute these again", merge.refused.size(),
                          merge.refused.size() + merge.copied + merge.known, fmt::join(merge.refused, "; ")));
}

}  // namespace

void add_merge_jobs(const Command& app) {
  const auto flags = std::make_shared<MergeFlags>();
  const Command sub = app.add_subcommand("merge-jobs", "Put together what several machines computed");
  sub.footer(
      "Copies the results and models of other folders of jobs, looks at each file first\n"
      "and leaves out, by name, what is damaged or comes from another build. What is\n"
      "there already stays: merging again changes nothing. A shard that is missing is\n"
      "found by 'kedge reproduce --assemble'.\n"
      "\n"
      "Examples:\n"
      "  kedge merge-jobs node1/jobs node2/jobs --jobs out/jobs\n"
      "  kedge reproduce table-scaled --assemble 2");
  sub.add_option("FOLDERS", flags->folders, "Folders of jobs that 'kedge reproduce' or 'kedge sweep' filled")
      .type_name("")
      .required();
  sub.add_option("--jobs", flags->jobs, "Folder to copy into (default: out/jobs)").type_name("DIR");
  sub.add_flag("--quiet", flags->quiet, "Print nothing but errors");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
