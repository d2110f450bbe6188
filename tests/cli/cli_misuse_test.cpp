// What goes wrong in a new user's first hour. Every misuse ends with one line that names what was found and
// says what to do, and leaves every file as it was.

#include <array>
#include <map>

#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

struct Misuse {
  std::string arguments;
  std::string found;   ///< what the line names
  std::string remedy;  ///< what it says to do
};

class CliMisuse : public RunKedge {
 protected:
  CliMisuse() {
    write("train.csv", "speed,load,power\n1,2,3\n4,5,6\n7,9,9\n2,3,1\n5,5,2\n3,8,4\n");
    write("queries.csv", "speed,load\n1,2\n");
    std::filesystem::create_directory(path("folder"));
  }

  void fit_model() const { done("fit train.csv --target power --model linear --quiet -o m.kedge"); }

  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> files;
    for (const std::string& name : names()) files[name] = read(name);
    return files;
  }

  void expect_misuses(const std::vector<Misuse>& misuses) const {
    const auto before = contents();
    for (const Misuse& misuse : misuses) {
      SCOPED_TRACE("kedge " + misuse.arguments);
      const Ran ran = kedge(misuse.arguments);
      EXPECT_TRUE(ran.code == 1 || ran.code == 2) << ran.code;
      EXPECT_EQ(ran.out, "");
      EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
      EXPECT_TRUE(ran.err.starts_with("kedge: ")) << ran.err;
      EXPECT_EQ(ran.err.find("kedge: ["), std::string::npos) << "a verb of the library: " << ran.err;
      EXPECT_NE(ran.err.find(misuse.found), std::string::npos) << misuse.found << "\n" << ran.err;
      EXPECT_NE(ran.err.find(misuse.remedy), std::string::npos) << misuse.remedy << "\n" << ran.err;
      EXPECT_TRUE(contents() == before);
    }
  }
};

const std::string fit = "fit train.csv --target power --steps 10 -o new ";

TEST_F(CliMisuse, of_commands_and_flags_suggests_what_was_meant) {
  expect_misuses({
      {"", "a command is needed", "see kedge --help"},
      {"fti train.csv", "\"fti\"", "did you mean \"fit\"?"},
      {"help pedict", "\"pedict\"", "did you mean \"predict\"?"},
      {"train.csv", "\"train.csv\"", "see kedge --help"},
      {"--versoin", "--versoin", "did you mean --version?"},
      {fit + "--stpes 20", "--stpes", "did you mean --steps?"},
      {fit + "-steps 20", "-steps", "did you mean --steps?"},
      {fit + "--learning_rate 1", "--learning_rate", "did you mean --learning-rate?"},
      {"fit train.csv --targets power -o new", "--targets", "did you mean --target?"},
      {fit + "--effort 1", "--effort", "kedge cv"},
      {fit + "--colour red", "--colour", "see kedge fit --help"},
      {fit + "queries.csv", "\"queries.csv\"", "put commas between"},
      {fit + "--width", "--width", "needs a value"},
      {fit + "--seed 1 --seed 2", "--seed", "give it once"},
      {fit + "--json=3", "--json", "leave out"},
      {"completion tcsh", "\"tcsh\"", "needs one of bash, zsh, fish"},
      {"list model", "\"model\"", "did you mean \"models\"?"},
  });
}

TEST_F(CliMisuse, of_names_and_numbers_says_which_there_are) {
  expect_misuses({
      {fit + "--model bilinaer", "\"bilinaer\"", "did you mean \"bilinear\"?"},
      {fit + "--model forest", "\"forest\"", "take one of bilinear"},
      {fit + "--preset papr", "\"papr\"", "did you mean \"paper\"?"},
      {fit + "--anchors nerest", "'nerest'", "did you mean \"nearest\"?"},
      {fit + "--pairs same-lable", "'same-lable'", "did you mean \"same-label\"?"},
      {fit + "--space load=agnle", "\"agnle\"", "did you mean \"angle\"?"},
      {fit + "--fourier onn", "\"onn\"", "did you mean \"on\"?"},
      {"sample sawtoth", "\"sawtoth\"", "did you mean \"sawtooth\"?"},
      {"cv train.csv --target power --models linear,mpl", "\"mpl\"", "did you mean \"mlp\"?"},
      {"reproduce table-scale", "\"table-scale\"", "did you mean \"table-scaled\"?"},
      {fit + "--steps ten", "\"ten\"", "see kedge fit --help"},
      {fit + "--batch 0", "found 0", "take a number in that range"},
      {fit + "--learning-rate fast", "\"fast\"", "see kedge fit --help"},
      {fit + "--learning-rate -1", "found -1", "take a number in that range"},
      {fit + "--width 0", "found 0", "take a number in that range"},
      {fit + "--threads 0", "\"0\"", "from 1 to 1024"},
      {"cv train.csv --target power --effort 2", "found 2", "take"},
  });
}

TEST_F(CliMisuse, of_files_says_what_was_found_in_place_of_what) {
  fit_model();
  write("empty.csv", "");
  write("one.csv", "speed,load,power\n1,2,3\n");
  write("model.pkl", "\x80\x04\x95\x10more");
  write("sheet.xlsx", "PK\x03\x04more");
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1), }";
  write("cube.npy", std::string("\x93NUMPY\x01\0\x76\0", 10) + header +
                        std::string(117 - header.size(), ' ') + "\n" + std::string(8, '\0'));
  expect_misuses({
      {"predict queries.csv m.kedge", "found the model m.kedge behind queries.csv", "swap the two"},
      {"diagnose queries.csv m.kedge", "found the model m.kedge behind queries.csv", "swap the two"},
      {"predict train.csv queries.csv", "train.csv", "kedge fit makes a model of a table"},
      {"predict m.kedge m.kedge", "a model that kedge fit wrote", "then a table of queries"},
      {"fit m.kedge --target power -o new", "a model that kedge fit wrote", "kedge predict"},
      {"info train.csv", "a text, such as a CSV table", "kedge fit makes a model of a table"},
      {"info model.pkl", "a Python pickle", "save the rows as CSV"},
      {"fit model.pkl --target power -o new", "a Python pickle", "save the rows as CSV"},
      {"fit sheet.xlsx --target power -o new", "a ZIP or NPZ file", "save a spreadsheet as CSV"},
      {"fit cube.npy --target x0 -o new", "cube.npy", "reshape"},
      {"fit none.csv --target power -o new", "none.csv", "check the path"},
      {"fit folder --target power -o new", "folder", "name a file in it"},
      {"fit empty.csv --target power -o new", "an empty file", "check what wrote it"},
      {"fit one.csv --target power -o new", "found 1", "add rows"},
      {"predict none.kedge queries.csv", "none.kedge", "check the path"},
      {"report none", "none", "make it with kedge reproduce"},
      {"info", "found none", "MODEL"},
      {"predict m.kedge", "found none", "QUERIES"},
  });
}

TEST_F(CliMisuse, of_columns_names_those_there_are) {
  fit_model();
  write("short.csv", "speed,laod\n1,2\n");
  write("words.csv", "speed,power\nlow,fast\nhigh,slow\nhigh,slow\n");
  expect_misuses({
      {"fit train.csv -o new", "--target", "see kedge fit --help"},
      {"fit train.csv --target powr -o new", "\"powr\"", "did you mean \"power\"?"},
      {"fit train.csv --target Power -o new", "\"Power\"", "did you mean \"power\"?"},
      {"fit train.csv --target height -o new", "\"height\"", "check the name"},
      {fit + "--inputs speed,power", "\"power\" in --target and in --inputs", "name it once"},
      {fit + "--inputs sped", "\"sped\"", "did you mean \"speed\"?"},
      {fit + "--ignore laod", "\"laod\"", "did you mean \"load\"?"},
      {fit + "--inputs speed,load,speed", "\"speed\" twice", "name it once"},
      {fit + "--space laod=log", "\"laod\"", "did you mean \"load\"?"},
      {fit + "--same-unit speed+laod", "\"laod\"", "did you mean \"load\"?"},
      {"fit train.csv --target power,speed,load -o new", "0 inputs", "leave"},
      {"predict m.kedge short.csv", "\"load\"", "did you mean \"laod\"?"},
  });
}

TEST_F(CliMisuse, of_flags_that_contradict_each_other_says_which_to_leave_out) {
  fit_model();
  expect_misuses({
      {fit + "--epochs 3", "--epochs", "give one of them"},
      {"fit train.csv --target power --model linear --steps 10 -o new", "--steps", "leave it out"},
      {fit + "--model mlp --anchors nearest", "--anchors", "leave it out"},
      {fit + "--model mlp --embedding 8", "--embedding", "leave it out"},
      {fit + "--model mlp --pool 100", "--pool", "leave it out"},
      {"fit train.csv --target power --model auto --weights joint -o new", "--weights", "name a model"},
      {"reproduce table-scaled --quick --widths 32", "--quick and --widths", "give one of them"},
      {"reproduce table-scaled --quick --full", "--quick and --full", "give one of them"},
      {"predict m.kedge queries.csv --support-radius -1", "found -1", "take"},
      {"expert push --seed 1", "--seed", "leave --seed out"},
      {"collect push --goals published --split in -o d.hdf5", "--split in", "take one of them"},
      {"collect push --goals queries.csv --seed 1 -o d.hdf5", "--goals queries.csv", "leave one out"},
      {"rollout m.kedge push --goals queries.csv --fresh", "--fresh", "leave it out"},
      {"imitate d.hdf5 --model replay --anchors many=3 -o p", "--anchors", "leave it out"},
      {"imitate d.hdf5 --model ridge-by-step --anchors many=3 -o p", "--anchors", "leave it out"},
      {"imitate d.hdf5 --model mlp --anchors many=3 -o p", "--anchors", "leave it out"},
      {"info m.kedge --theorem=no", "--theorem", "leave out"},
      {"rollout m.kedge push --no-expert --expert push", "--expert", "give one of them"},
  });
}

TEST_F(CliMisuse, of_places_to_write_to_is_found_before_the_work) {
  fit_model();
  expect_misuses({
      {"fit train.csv --target power", "--output", "see kedge fit --help"},
      {"fit train.csv --target power -o none/new", "none", "make it first"},
      {"fit train.csv --target power -o folder", "folder", "name a file in it"},
      {"fit train.csv --target power -o train.csv", "train.csv would be overwritten", "name another file"},
      {"fit train.csv --target power -o -", "found '-'", "name a file with -o"},
      {"predict m.kedge queries.csv -o m.kedge", "m.kedge would be overwritten", "name another file"},
      {"diagnose m.kedge queries.csv --html none/page.html", "none", "make it first"},
      {"diagnose m.kedge queries.csv --html p -o p", "found p for both", "name another"},
      {"sample sawtooth -o none/rows.csv", "none", "make it first"},
  });
}

}  // namespace
}  // namespace kedge
