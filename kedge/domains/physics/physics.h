#pragma once

// Physics: one MuJoCo model and its state. The only place that knows MuJoCo; what it says is fatal becomes an
// Error, and nothing is printed or written to a file.
//
// A Physics is used by one thread at a time. Names that are not in the model are an Error.

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace kedge {

class Physics {
 public:
  /// Compiles a model out of MJCF text, `name` is what errors call it. Throws Error on text that MuJoCo
  /// refuses.
  Physics(std::string_view mjcf, const std::string& name);
  Physics(Physics&&) noexcept;
  Physics& operator=(Physics&&) noexcept;
  ~Physics();

  // The state. Spans stay valid as long as the Physics lives.
  std::span<double> positions();  ///< generalized, MuJoCo's qpos
  std::span<const double> positions() const;
  std::span<double> velocities();  ///< qvel
  std::span<const double> velocities() const;
  std::span<double> controls();        ///< ctrl
  std::span<double> mocap_position();  ///< of the one mocap body, three numbers
  std::span<double> mocap_rotation();  ///< its unit quaternion, w first

  // Where things are in the model; the result is the place of a first number in the spans above.
  size_t joint_position(const std::string& joint) const;
  size_t joint_velocity(const std::string& joint) const;

  // Places in the world, three numbers each, as of the last `step` or `forward`.
  std::span<const double> body_place(const std::string& body) const;
  std::span<const double> site_place(const std::string& site) const;
  std::span<const double> geom_place(const std::string& geom) const;

  size_t actuators() const;
  std::span<const double> control_range(size_t actuator) const;  ///< low, high

  /// Gives a body this mass and scales its inertia with it, and recomputes what depends on it.
  void set_mass(const std::string& body, double mass);

  /// Whether any contact is between the two bodies, or, with an empty second name, between the first and any.
  bool touches(const std::string& body, const std::string& other) const;

  /// Back to the model's own starting state.
  void reset();
  /// A state whose numbers cease to be finite, or become huge, reads as NaN from then on, until `reset` or
  /// `restore`.
  void step(int steps = 1);
  /// Recomputes what depends on the state without going on in time.
  void forward();
  double time() const;

  /// The whole state, to come back to: a copy that is cheap to restore.
  class Snapshot;
  std::shared_ptr<const Snapshot> snapshot() const;
  void restore(const Snapshot& snapshot);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kedge
