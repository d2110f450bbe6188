#include "kedge/domains/physics/physics.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"

namespace kedge {
namespace {

/// What MuJoCo calls fatal leaves it as this exception, through C frames that Debian builds with unwind
/// tables.
struct Fatal {
  std::string text;
};

[[noreturn]] void throw_fatal(const char* text) { throw Fatal{text}; }
void ignore_warning(const char*) {}  // MuJoCo's own handler would write a file; results show what happened

/// The handlers are MuJoCo's globals, the same for every Physics of the process.
void install_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    mju_user_error = throw_fatal;
    mju_user_warning = ignore_warning;
  });
}

/// MuJoCo's words on one line.
std::string said(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return one_line(std::move(text));
}

template <class Call>
auto guarded(const std::string& name, const Call& call) {
  try {
    return call();
  } catch (const Fatal& fatal) {
    throw Error("simulate", fmt::format("{}: MuJoCo gave up: {}", name, said(fatal.text)));
  }
}

struct FreeModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct FreeData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using ModelPointer = std::unique_ptr<mjModel, FreeModel>;
using DataPointer = std::unique_ptr<mjData, FreeData>;

ModelPointer compile(std::string_view mjcf, const std::string& name) {
  // 200 kB on the heap: a virtual file system of MuJoCo's.
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  struct Cleaner {
    mjVFS* vfs;
    ~Cleaner() { mj_deleteVFS(vfs); }
  } cleaner{files.get()};
  if (mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(mjcf.size())) != 0)
    throw Error("simulate", fmt::format("{}: MuJoCo cannot hold the model's text", name));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "model.xml")], mjcf.data(), mjcf.size());
  std::array<char, 1000> fault{};
  ModelPointer model(mj_loadXML("model.xml", files.get(), fault.data(), static_cast<int>(fault.size())));
  if (!model)
    throw Error("simulate",
                fmt::format("{}: needs MJCF that MuJoCo can compile; it says: {}", name, said(fault.data())));
  return model;
}

}  // namespace

struct Physics::State {
  std::string name;
  ModelPointer model;
  DataPointer data;
  std::vector<double> masses, inertias;  // of the bodies, as compiled

  int id(mjtObj type, const char* kind, const std::string& wanted) const {
    const int found = mj_name2id(model.get(), type, wanted.c_str());
    if (found < 0)
      throw Error("simulate", fmt::format("{}: there is no {} called {}", name, kind, shown(wanted)));
    return found;
  }

  /// MuJoCo answers numbers that are not finite, or huge, by a silent reset and goes on.
  bool broke_down() const {
    const auto& warnings = data->warning;
    return warnings[mjWARN_BADQPOS].number > 0 || warnings[mjWARN_BADQVEL].number > 0 ||
           warnings[mjWARN_BADQACC].number > 0 || warnings[mjWARN_BADCTRL].number > 0;
  }
  void show_breakdown() {
    const double none = std::numeric_limits<double>::quiet_NaN();
    std::fill_n(data->qpos, model->nq, none);
    std::fill_n(data->qvel, model->nv, none);
    std::fill_n(data->xpos, 3 * model->nbody, none);
    std::fill_n(data->geom_xpos, 3 * model->ngeom, none);
    std::fill_n(data->site_xpos, 3 * model->nsite, none);
  }
};

class Physics::Snapshot {
 public:
  explicit Snapshot(DataPointer copy) : data(std::move(copy)) {}
  DataPointer data;
};

Physics::Physics(std::string_view mjcf, const std::string& name) : state_(std::make_unique<State>()) {
  install_handlers();
  state_->name = name;
  guarded(name, [&] {
    state_->model = compile(mjcf, name);
    const mjModel& model = *state_->model;
    state_->masses.assign(model.body_mass, model.body_mass + model.nbody);
    state_->inertias.assign(model.body_inertia, model.body_inertia + 3 * model.nbody);
    state_->data = DataPointer(mj_makeData(state_->model.get()));
    mj_forward(state_->model.get(), state_->data.get());
  });
}
Physics::Physics(Physics&&) noexcept = default;
Physics& Physics::operator=(Physics&&) noexcept = default;
Physics::~Physics() = default;

std::span<double> Physics::positions() {
  return {state_->data->qpos, static_cast<size_t>(state_->model->nq)};
}
std::span<const double> Physics::positions() const {
  return {state_->data->qpos, static_cast<size_t>(state_->model->nq)};
}
std::span<double> Physics::velocities() {
  return {state_->data->qvel, static_cast<size_t>(state_->model->nv)};
}
std::span<const double> Physics::velocities() const {
  return {state_->data->qvel, static_cast<size_t>(state_->model->nv)};
}
std::span<double> Physics::controls() { return {state_->data->ctrl, static_cast<size_t>(state_->model->nu)}; }
std::span<double> Physics::mocap_position() {
  if (state_->model->nmocap != 1) throw Error("simulate", state_->name + ": needs one mocap body");
  return {state_->data->mocap_pos, 3};
}
std::span<double> Physics::mocap_rotation() {
  if (state_->model->nmocap != 1) throw Error("simulate", state_->name + ": needs one mocap body");
  return {state_->data->mocap_quat, 4};
}

size_t Physics::joint_position(const std::string& joint) const {
  return static_cast<size_t>(state_->model->jnt_qposadr[state_->id(mjOBJ_JOINT, "joint", joint)]);
}
size_t Physics::joint_velocity(const std::string& joint) const {
  return static_cast<size_t>(state_->model->jnt_dofadr[state_->id(mjOBJ_JOINT, "joint", joint)]);
}

std::span<const double> Physics::body_place(const std::string& body) const {
  return {state_->data->xpos + 3 * state_->id(mjOBJ_BODY, "body", body), 3};
}
std::span<const double> Physics::site_place(const std::string& site) const {
  return {state_->data->site_xpos + 3 * state_->id(mjOBJ_SITE, "site", site), 3};
}
std::span<const double> Physics::geom_place(const std::string& geom) const {
  return {state_->data->geom_xpos + 3 * state_->id(mjOBJ_GEOM, "geom", geom), 3};
}

size_t Physics::actuators() const { return static_cast<size_t>(state_->model->nu); }
std::span<const double> Physics::control_range(size_t actuator) const {
  return {state_->model->actuator_ctrlrange + 2 * actuator, 2};
}

void Physics::set_mass(const std::string& body, double mass) {
  const auto id = static_cast<size_t>(state_->id(mjOBJ_BODY, "body", body));
  mjModel& model = *state_->model;
  // Scaled from what was compiled, so that the masses set before leave no rounding behind.
  const double factor = mass / state_->masses[id];
  model.body_mass[id] = mass;
  for (size_t i = 3 * id; i < 3 * id + 3; ++i) model.body_inertia[i] = state_->inertias[i] * factor;
  guarded(state_->name, [&] { mj_setConst(&model, state_->data.get()); });
}

bool Physics::touches(const std::string& body, const std::string& other) const {
  const int a = state_->id(mjOBJ_BODY, "body", body);
  const int b = other.empty() ? -1 : state_->id(mjOBJ_BODY, "body", other);
  const mjModel& model = *state_->model;
  for (int c = 0; c < state_->data->ncon; ++c) {
    const mjContact& contact = state_->data->contact[c];
    const int one = model.geom_bodyid[contact.geom1], two = model.geom_bodyid[contact.geom2];
    if ((one == a && (b < 0 || two == b)) || (two == a && (b < 0 || one == b))) return true;
  }
  return false;
}

void Physics::reset() {
  guarded(state_->name, [&] { mj_resetData(state_->model.get(), state_->data.get()); });
}
void Physics::step(int steps) {
  guarded(state_->name, [&] {
    for (int i = 0; i < steps && !state_->broke_down(); ++i) mj_step(state_->model.get(), state_->data.get());
  });
  if (state_->broke_down()) state_->show_breakdown();
}
void Physics::forward() {
  guarded(state_->name, [&] { mj_forward(state_->model.get(), state_->data.get()); });
}
double Physics::time() const { return state_->data->time; }

std::shared_ptr<const Physics::Snapshot> Physics::snapshot() const {
  return guarded(state_->name, [&] {
    return std::make_shared<const Snapshot>(
        DataPointer(mj_copyData(nullptr, state_->model.get(), state_->data.get())));
  });
}
void Physics::restore(const Snapshot& snapshot) {
  guarded(state_->name, [&] { mj_copyData(state_->data.get(), state_->model.get(), snapshot.data.get()); });
}

}  // namespace kedge
