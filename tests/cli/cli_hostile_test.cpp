// What the program does with files that ask for too much, and with files of other kinds.

#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_kedge.h"
#include "tests/core/allocations.h"
#include "tests/core/unsealed.h"

namespace kedge {
namespace {

class HostileCommand : public RunKedge {
 protected:
  struct Used {
    int code = 0;
    long megabytes = 0;  // at most in use
  };

  /// Runs `kedge arguments` without a shell, with at most four gigabytes of address space.
  Used measured(const std::vector<std::string>& arguments) const {
    std::vector<const char*> argv = {"kedge"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit most{rlim_t{4} << 30, rlim_t{4} << 30};
      ::setrlimit(RLIMIT_AS, &most);
      const int nowhere = ::open("/dev/null", O_WRONLY);
      ::dup2(nowhere, STDOUT_FILENO);
      ::dup2(nowhere, STDERR_FILENO);
      ::execv(KEDGE_BINARY, const_cast<char**>(argv.data()));
      ::_exit(99);
    }
    int status = 0;
    rusage used{};
    EXPECT_EQ(::wait4(child, &status, 0, &used), child);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, used.ru_maxrss / 1024};
  }

  /// A model of one input in a file, with `edit` made to its head and tensors.
  template <class Edit>
  void write_model(const std::string& name, Edit edit) const {
    write("t.csv", "x,y\n0,1\n1,2\n2,4\n3,5\n4,7\n5,8\n6,11\n7,12\n8,14\n9,15\n10,17\n11,20\n");
    done("fit t.csv --target y --model nearest -o t.kedge");
    TensorFile file = unsealed(read("t.kedge"));
    nlohmann::json head = nlohmann::json::parse(file.metadata.at("head"));
    edit(file, head);
    file.metadata["head"] = head.dump();
    write(name, encode_safetensors(file));
  }
};

TEST_F(HostileCommand, predict_needs_little_memory_however_many_anchors_a_query_has) {
  if (!counts_allocations()) GTEST_SKIP() << "sanitizers need memory of their own";
  constexpr size_t rows = 20000, outputs = 50;
  write_model("many.kedge", [&](TensorFile& file, nlohmann::json& head) {
    head["options"]["model"] = "bilinear";
    head["options"]["anchors"] = "many=1000000";
    nlohmann::json names = nlohmann::json::array(), columns = nlohmann::json::array();
    for (size_t k = 0; k < outputs; ++k) {
      names.push_back("y" + std::to_string(k));
      columns.push_back(0);
    }
    head["outputs"] = names;
    head["program"] = {{"features", 1},
                       {"outputs", outputs},
                       {"ops",
                        {{{"kind", "select"}, {"from", {2}}, {"width", outputs}, {"columns", columns}},
                         {{"kind", "add"}, {"from", {3, 4}}, {"width", outputs}}}}};
    const auto set = [&](const char* tensor, std::vector<size_t> shape, double value) {
      size_t count = 1;
      for (size_t extent : shape) count *= extent;
      file.tensors[tensor] = make_tensor<double>(std::move(shape), std::vector<double>(count, value));
    };
    set("training.points", {rows, 1}, 3);
    set("training.outputs", {rows, outputs}, 1);
    set("scaling.output.mean", {outputs}, 0);
    set("scaling.output.scale", {outputs}, 1);
  });
  std::string queries = "x\n";
  for (int q = 0; q < 64; ++q) queries += std::to_string(q) + "\n";
  write("q.csv", queries);
  const Used used = measured({"predict", path("many.kedge"), path("q.csv"), "--threads", "1"});
  EXPECT_EQ(used.code, 0);
  EXPECT_LT(used.megabytes, 150);  // all answers at once would be 500
}

TEST_F(HostileCommand, info_says_why_it_computes_no_theorem) {
  write("w.csv",
        "a,b,y\n0,1,2\n1,2,4\n2,4,1\n3,5,3\n4,7,7\n5,8,5\n6,11,2\n7,12,6\n8,14,1\n9,15,4\n10,17,2\n");
  done(
      "fit w.csv --target y --embedding 513 --steps 1 --layers 1 --calibration none --keep-partial -o "
      "w.kedge");
  const std::string text = done("info w.kedge --theorem");
  EXPECT_NE(text.find("not computed: embeddings of 513 are wider than 512"), std::string::npos) << text;
}

TEST_F(HostileCommand, a_file_of_another_kind_is_named_in_one_line_that_says_what_to_do) {
  write("t.csv", "x,y\n1,2\n3,4\n5,6\n");
  write("d.h5", std::string("\x89HDF\r\n\x1a\n\0\0\0\0\0\0\0\0", 16));
  write("a.npy", std::string("\x93NUMPY\x01\0", 8));
  for (const std::string command : {"info t.csv", "info d.h5", "info a.npy", "predict t.csv t.csv",
                                    "rollout d.h5 reach", "rollout t.csv reach"}) {
    const Ran ran = kedge(command);
    EXPECT_EQ(ran.code, 1) << command;
    EXPECT_NE(ran.err.find("needs a file that kedge fit or kedge imitate wrote; found a"), std::string::npos)
        << command << "\n"
        << ran.err;
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
  }
}

}  // namespace
}  // namespace kedge
