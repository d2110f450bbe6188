"""The search for anchors as a part of an ONNX graph.

The distance of an anchor is the least distance between its target, query minus anchor, and a difference of
the pool. A matrix product gives it first, up to rounding. The anchors that may be among the closest by that
are compared again, by the operations of the library in their order. So the same anchors are found, also where
distances are equal.
"""

from __future__ import annotations

import math

import numpy as np

from ._model_file import Anchors, Doubles
from ._onnx_graph import Array, Graph
from ._onnx_program import indices

_TURN = 2 * math.pi
# Distances of one query that are kept at once, and those that a search may compute.
_MOST_KEPT = 1 << 21
_MOST_COMPARED = 1_000_000_000


def wrapped(g: Graph, radians: str) -> str:
    """Angles reduced to (-pi, pi]."""
    reduced = g("Sub", radians, g("Mul", g("Round", g("Div", radians, _TURN)), _TURN))
    return g("Where", g("LessOrEqual", reduced, -math.pi), math.pi, reduced)


def wrapped_array(radians: Doubles) -> Doubles:
    """The same of an array, as the library does it."""
    reduced = np.frompyfunc(lambda x: math.remainder(x, _TURN), 1, 1)(radians).astype(np.float64)
    return np.asarray(np.where(reduced <= -math.pi, math.pi, reduced))


class Search:
    """Finds training rows for one query.

    Parameters
    ----------
    points : ndarray of shape (rows, columns)
        Training rows: logarithms taken, angles in radians.
    scale : ndarray of shape (columns,)
        Scales of the metric.
    is_angle : ndarray of shape (columns,)
        Which columns are angles.
    pool : ndarray of shape (pairs, 2)
        Rows whose differences were seen.
    anchors : ndarray or None
        Rows that may serve as anchors, rising; None for all.
    """

    def __init__(
        self, points: Doubles, scale: Doubles, is_angle: Array, pool: Array, anchors: Array | None
    ) -> None:
        self.points, self.scale, self.is_angle = points, scale, is_angle
        self.anchors = np.arange(len(points)) if anchors is None else anchors.astype(np.int64)
        differences = points[pool[:, 0]] - points[pool[:, 1]]
        differences[:, is_angle] = wrapped_array(differences[:, is_angle])
        self.differences = np.unique(differences, axis=0)
        self.lifted = self._all_turns(self.differences)

    def _all_turns(self, differences: Doubles) -> Doubles:
        """Each difference with every turn of its angles, so that distances are those of plain numbers."""
        for column in np.flatnonzero(self.is_angle):
            if len(differences) * 3 * len(self.anchors) > _MOST_COMPARED:
                break
            shift = np.zeros(differences.shape[1])
            shift[column] = _TURN
            differences = np.concatenate([differences - shift, differences, differences + shift])
        return differences

    def check(self) -> None:
        """Refuse a search that one query would take many seconds for."""
        compared = len(self.lifted) * len(self.anchors)
        if compared > _MOST_COMPARED or len(self.lifted) < 3 ** self.is_angle.sum() * len(self.differences):
            raise ValueError(
                f"to_onnx needs at most {_MOST_COMPARED} comparisons a query; found {len(self.anchors)} "
                f"anchors with {len(self.differences)} differences each; fit with a smaller pool or fewer "
                "anchor_rows, or write to_onnx(path, anchors='neighbour')"
            )

    def minus(self, g: Graph, a: str, b: str) -> str:
        """Differences of points, the short way round for angles."""
        plain = g("Sub", a, b)
        return g("Where", self.is_angle, wrapped(g, plain), plain) if self.is_angle.any() else plain

    def squares(self, g: Graph, one: str, others: str) -> str:
        """Squared distances of a point or target to others, which are given column by column.

        Columns are added in their order, as the library does.
        """
        body = Graph(g)
        total, of_one, of_others = (body.take_input(np.float64) for _ in range(3))
        scale, is_angle = body.take_input(np.float64), body.take_input(np.bool_)
        apart = body("Sub", of_one, of_others)
        if self.is_angle.any():
            apart = body("Where", is_angle, wrapped(body, apart), apart)
        apart = body("Div", apart, scale)
        total = body("Add", total, body("Mul", apart, apart))
        proto = body.proto("squares", [(total, np.float64)])
        size = g("Slice", g("Shape", others), np.array([1]), np.array([2]))
        start = g("Expand", 0.0, size)
        return g.scan(proto, [start], [one, others, self.scale, self.is_angle])[0]

    def to_rows(self, g: Graph, point: str) -> str:
        """Squared distances of a query to all training rows."""
        return self.squares(g, point, g.constant(self.points.T))

    def nearest_rows(self, g: Graph, point: str, count: int) -> str:
        """The training rows nearest to a query, nearest first."""
        return g.add("TopK", self.to_rows(g, point), np.array([count]), count=2, largest=0)[1]

    def in_support(self, g: Graph, point: str, radius: float) -> str:
        """Whether a query is an interpolation: each column in its range, and a row within the radius."""
        nearest = g("Sqrt", g("ReduceMin", self.to_rows(g, point), keepdims=0))
        inside = g("LessOrEqual", nearest, radius)
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        low[self.is_angle], high[self.is_angle] = -math.inf, math.inf
        for holds in (g("GreaterOrEqual", point, low), g("LessOrEqual", point, high)):
            inside = g("And", inside, g.cast(g("ReduceMin", g.cast(holds, np.int32), keepdims=0), np.bool_))
        for column in np.flatnonzero(self.is_angle):
            angle = g("Gather", point, indices(column))
            for begin, width in unseen_arcs(self.points[:, column]):
                way = g("Sub", angle, begin)
                way = g("Sub", way, g("Mul", g("Floor", g("Div", way, 2 * math.pi)), 2 * math.pi))
                unseen = g("And", g("Greater", way, 0.0), g("Less", way, width))
                inside = g("And", inside, g("Not", unseen))
        return inside

    def closest_anchors(self, g: Graph, point: str, count: int, may_serve: str | None = None) -> str:
        """The anchors of least distance, closest first, and among equal ones by row.

        `may_serve` tells it of each anchor; where fewer may than are wanted, all that may are found.
        """
        anchors = g.constant(self.anchors)
        if may_serve is None and count >= len(self.anchors):
            return anchors
        self.check()
        wanted = g.constant(np.array([count]))
        if may_serve is not None:
            able = g("ReduceSum", g.cast(may_serve, np.int64), np.array([0]), keepdims=1)
            wanted = g("Min", wanted, able)
        candidates = self._candidates(g, point, wanted, may_serve)
        targets = self.minus(g, point, g("Gather", g.constant(self.points), g("Gather", anchors, candidates)))
        body = Graph(g)
        target = body.take_input(np.float64)
        least = body("ReduceMin", self.squares(body, target, g.constant(self.differences.T)), keepdims=0)
        distance = body("Sqrt", least)
        proto = body.proto("distances", [(distance, np.float64)])
        distances = g.scan(proto, [], [targets])[0]
        best = g.add("TopK", distances, wanted, count=2, largest=0)[1]
        return g("Gather", anchors, g("Gather", candidates, best))

    def _candidates(self, g: Graph, point: str, wanted: str, may_serve: str | None) -> str:
        """Numbers of the anchors that can be among the closest, by products that are exact up to `slack`."""
        pool = self.lifted / self.scale
        pool_squares = (pool**2).sum(axis=1)
        per_part = max(1, min(len(self.anchors), _MOST_KEPT // len(pool)))
        parts = -(-len(self.anchors) // per_part)
        padded = self.anchors[np.minimum(np.arange(parts * per_part), len(self.anchors) - 1)]
        body = Graph(g)
        part = body.take_input(np.float64)
        target = self.minus(body, point, part)
        length = body("ReduceSumSquare", body("Div", target, self.scale), axes=[1], keepdims=0)
        # All scales stand in the constant: some runtimes take a factor before a product in single precision.
        products = body("Add", body("MatMul", target, -2 * (pool / self.scale).T), pool_squares)
        least = body("Add", length, body("ReduceMin", products, axes=[1], keepdims=0))
        proto = body.proto("products", [(least, np.float64), (length, np.float64)])
        by_part, lengths = g.scan(proto, [], [self.points[padded].reshape(parts, per_part, -1)])
        all_of = np.array([0]), np.array([len(self.anchors)]), np.array([0])
        squared = g("Slice", g("Reshape", by_part, np.array([-1])), *all_of)
        if may_serve is not None:
            squared = g("Where", may_serve, squared, math.inf)
        longest = g("Sqrt", g("ReduceMax", lengths, keepdims=0))
        longest = g("Add", longest, math.sqrt(pool_squares.max()))
        rounding = 16 * (pool.shape[1] + 4) * np.finfo(np.float64).eps
        slack = g("Mul", g("Mul", longest, longest), rounding)
        leaders = g.add("TopK", squared, wanted, count=2, largest=0)[0]
        bound = g("Add", g("ReduceMax", leaders, keepdims=0), slack)
        # Not "at most": of a query that is not finite all anchors are candidates, and its answer is NaN.
        near = g("Not", g("Greater", squared, bound))
        if may_serve is not None:
            near = g("And", near, may_serve)
        return g("Reshape", g("NonZero", near), np.array([-1]))


def number_of(rule: Anchors, most: int) -> int:
    """How many rows a rule takes out of so many."""
    return min(most, int(rule.number or 1)) if rule.name in ("many", "near", "all", "weight") else 1


def unseen_arcs(angles: Array) -> list[tuple[float, float]]:
    """Begin and width of the arcs that training angles leave unseen, as the verdicts count them."""
    ordered = np.sort(angles)
    kept = [ordered[0]]
    for angle in ordered[1:]:
        if angle - kept[-1] >= 1e-9:
            kept.append(angle)
    if len(kept) < 2:
        return []
    gaps = np.diff([*kept, kept[0] + 2 * math.pi])
    by_chance = np.sort(gaps)[len(gaps) // 2] / math.log(2) * math.log(len(gaps) / 0.01)
    least = max(2 * math.pi / 12, by_chance)
    return [(float(begin), float(gap)) for begin, gap in zip(kept, gaps, strict=True) if gap > least]
