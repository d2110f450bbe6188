#include "kedge/domains/grasp/ply.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace kedge {
namespace {

struct Vertex {
  double x, y, z;
  int red, green, blue;
};

/// What a reader of PLY sees: header lines up to end_header, then as many vertices as the header says.
std::vector<Vertex> read_ply(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  size_t count = 0;
  std::vector<std::string> header;
  while (std::getline(in, line) && line != "end_header") {
    header.push_back(line);
    if (line.rfind("element vertex ", 0) == 0) count = std::stoul(line.substr(15));
  }
  EXPECT_EQ(header,
            (std::vector<std::string>{"ply", "format ascii 1.0", "element vertex " + std::to_string(count),
                                      "property float x", "property float y", "property float z",
                                      "property uchar red", "property uchar green", "property uchar blue"}));
  std::vector<Vertex> vertices;
  for (Vertex v{}; in >> v.x >> v.y >> v.z >> v.red >> v.green >> v.blue;) vertices.push_back(v);
  EXPECT_TRUE(in.eof());
  EXPECT_EQ(vertices.size(), count);
  return vertices;
}

TEST(Ply, a_file_has_as_many_vertices_as_its_header_says_and_each_its_place_and_colour) {
  std::ostringstream out;
  write_ply(out, {{.point = {0.25, -1.5, 3}, .red = 1, .green = 20, .blue = 255}, {.point = {1, 2, 3}}});
  const std::vector<Vertex> vertices = read_ply(out.str());
  ASSERT_EQ(vertices.size(), 2u);
  EXPECT_EQ(vertices[0].x, 0.25);
  EXPECT_EQ(vertices[0].y, -1.5);
  EXPECT_EQ(vertices[0].z, 3);
  EXPECT_EQ(vertices[0].red, 1);
  EXPECT_EQ(vertices[0].green, 20);
  EXPECT_EQ(vertices[0].blue, 255);
}

TEST(Ply, a_scene_is_its_cloud_then_grasp_and_key_points_then_balls_around_those) {
  const double written_digits = 1e-6, ball = 0.0041;
  const GraspScene scene = grasp_scene(find_grasp_task("grasp-teapot"), {});
  std::ostringstream out;
  write_ply(out, coloured(scene));
  const std::vector<Vertex> vertices = read_ply(out.str());
  const size_t cloud = scene.cloud.size();
  ASSERT_GT(vertices.size(), cloud + 7);
  const auto distance = [&](size_t vertex, Point to) {
    return length(Point{vertices[vertex].x, vertices[vertex].y, vertices[vertex].z} - to);
  };
  for (size_t n = 0; n < cloud; ++n) ASSERT_LT(distance(n, scene.cloud[n]), written_digits);
  EXPECT_LT(distance(cloud, scene.grasp), written_digits);
  for (size_t k = 0; k < 6; ++k) EXPECT_LT(distance(cloud + 1 + k, scene.keys[k]), written_digits);
  const auto red = [&](size_t n) { return vertices[n].red > 200 && vertices[n].blue < 100; };
  for (size_t n = 0; n < vertices.size(); ++n) {
    EXPECT_EQ(red(n), n >= cloud && distance(n, scene.grasp) < ball) << n;
    EXPECT_EQ(vertices[n].red == vertices[n].blue, n < cloud) << n;
  }
}

}  // namespace
}  // namespace kedge
