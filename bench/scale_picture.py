"""The picture of bench/results/scale.json: panels of curves, in the style of kedge/report."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

Point = tuple[float, float]

STYLE = (
    "<style>.scale{color:#24292f;font:13px system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;"
    "font-variant-numeric:tabular-nums}.scale text{fill:currentColor}.scale .c0{color:#0072b2}.scale .c1{color:#d55e00}"
    ".scale .c2{color:#009e73}@media(prefers-color-scheme:dark){.scale{color:#dde3ea}.scale .c0{color:#4c9fe0}"
    ".scale .c1{color:#f5803e}.scale .c2{color:#2fc79a}}</style>"
)
PANEL_WIDTH, PANEL_HEIGHT, GAP, ACROSS = 390, 300, 36, 2
LEFT, RIGHT, BOTTOM, LEGEND_LINE = 44, 12, 42, 18


class Sizes(NamedTuple):
    """What was measured, as far as titles say it."""

    ways: tuple[int, ...]
    steps: int
    pool_rows: int
    replica_rows: int
    hidden: int


class Line(NamedTuple):
    name: str
    points: list[Point]


class Panel(NamedTuple):
    title: str
    x_label: str
    y_label: str
    lines: list[Line]
    even: str = ""  # the axes that go in steps, x and y; the others go in ratios


def short_number(value: float) -> str:
    for size, sign in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{sign}"
    return f"{value:g}".replace("-", "−")


def even_ticks(low: float, high: float) -> list[float]:
    step = next(s for s in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if (high - low) / s <= 5)
    return [round(step * k, 1) for k in range(math.floor(low / step), math.ceil(high / step) + 1)]


def ratio_ticks(low: float, high: float) -> list[float]:
    """Ends of the axis among them."""
    all_ticks = [m * 10.0**e for e in range(-4, 7) for m in (1, 2, 5)]
    first = max(k for k, tick in enumerate(all_ticks) if tick <= low)
    last = min(k for k, tick in enumerate(all_ticks) if tick >= high)
    ticks = all_ticks[first : last + 1]
    if len(ticks) <= 6:
        return ticks
    return [t for k, t in enumerate(ticks) if k in (0, len(ticks) - 1) or math.log10(t) == round(math.log10(t))]


def text(x: float, y: float, words: str, more: str = "") -> str:
    escaped = words.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escaped}</text>'


def draw_panel(panel: Panel) -> Iterable[str]:
    top = 30 + LEGEND_LINE * len(panel.lines) + 22
    values = [y for line in panel.lines for _, y in line.points] + ([0] if "y" in panel.even else [])
    ticks = (even_ticks if "y" in panel.even else ratio_ticks)(min(values), max(values))
    x_ticks = sorted({x for line in panel.lines for x, _ in line.points})
    bottom = PANEL_HEIGHT - BOTTOM

    def share(value: float, axis: str, ends: list[float]) -> float:
        scale: Callable[[float], float] = float if axis in panel.even else math.log
        return (scale(value) - scale(ends[0])) / (scale(ends[-1]) - scale(ends[0]))

    def place(x: float, y: float) -> Point:
        across, up = share(x, "x", x_ticks), share(y, "y", ticks)
        return LEFT + 10 + across * (PANEL_WIDTH - LEFT - RIGHT - 20), bottom - up * (bottom - top)

    yield text(0, 14, panel.title, ' font-size="15" font-weight="600"')
    for k, line in enumerate(panel.lines):
        y = 24 + LEGEND_LINE * k
        yield f'<g class="c{k}"><path d="M1 {y + 7}h18" stroke="currentColor" stroke-width="2"/>'
        yield f'<circle cx="10" cy="{y + 7}" r="3.2" fill="currentColor"/></g>' + text(26, y + 11.5, line.name)
    yield text(0, top - 12, panel.y_label, ' opacity=".85"')
    for tick in ticks:
        _, y = place(x_ticks[0], tick)
        strength = ".4" if tick in (0, ticks[0]) else ".13"
        yield f'<path d="M{LEFT} {y:.1f}H{PANEL_WIDTH - RIGHT}" stroke="currentColor" stroke-opacity="{strength}"/>'
        yield text(LEFT - 7, y + 4.5, short_number(tick), ' text-anchor="end" opacity=".85"')
    for tick in x_ticks:
        x, y = place(tick, ticks[0])
        yield text(x, y + 18, short_number(tick), ' text-anchor="middle" opacity=".85"')
    yield text((LEFT + PANEL_WIDTH - RIGHT) / 2, PANEL_HEIGHT - 6, panel.x_label, ' text-anchor="middle"')
    for k, line in enumerate(panel.lines):
        places = [place(x, y) for x, y in line.points]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        yield f'<g class="c{k}"><path d="{path}" fill="none" stroke="currentColor" stroke-width="2"/>'
        yield "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="currentColor"/>' for x, y in places) + "</g>"


def panels_of(result: dict[str, Any], sizes: Sizes) -> list[Panel]:
    growth, sharing = result["growth"]["figures"], result["sharing"]["figures"]

    def line(name: str, of: str, what: str) -> Line:
        return Line(name, [(float(n), figure[what]) for n, figure in growth[of].items()])

    def beyond(name: str, way: str, base: str) -> Line:
        return Line(name, [(float(n), sharing[f"{way}_{n}"]["cpu"] - sharing[base]["cpu"]) for n in sizes.ways])

    seconds, queries = "seconds of processors", f"Predict {result['growth']['queries']:,} queries"
    dependent, independent = f"columns of {sizes.hidden} hidden numbers", "independent columns"
    return [
        Panel(f"Fit, {sizes.steps:,} steps", "training rows", seconds, [line("2 replicas, calibrated", "fit_rows", "cpu")],
              even="y"),
        Panel(f"Fit, {sizes.steps:,} steps, {sizes.replica_rows:,} rows", "replicas", seconds,
              [line("calibrated", "fit_replicas", "cpu")], even="xy"),
        Panel(queries, "training rows", seconds,
              [line(f"{dependent}, every row an anchor", "predict_rows_all_anchors", "cpu"),
               line(f"{dependent}, at most 4,000 anchors", "predict_rows_dependent", "cpu"),
               line(f"{independent}, at most 4,000 anchors", "predict_rows_independent", "cpu")]),
        Panel(f"{queries}, {sizes.pool_rows:,} rows", "differences in the pool", seconds,
              [line(dependent, "predict_pool_dependent", "cpu"), line(independent, "predict_pool_independent", "cpu")]),
        Panel("Peak memory", "training rows", "MB",
              [line("fit", "fit_rows", "peak_mb"), line("predict", "predict_rows_dependent", "peak_mb")]),
        Panel(f"Short work: beyond one process's {sharing['plain']['cpu']:.1f} s", "ranks or shards", seconds,
              [beyond("ranks", "ranks", "plain"), beyond("ranks with nothing to do", "start_ranks", "start"),
               beyond("shards", "shards", "plain")], even="xy"),
    ]


def draw(result: dict[str, Any], sizes: Sizes) -> str:
    panels = panels_of(result, sizes)
    down = math.ceil(len(panels) / ACROSS)
    width, height = ACROSS * PANEL_WIDTH + (ACROSS - 1) * GAP, down * PANEL_HEIGHT + (down - 1) * GAP
    label = "Cost of fits, predictions and sharing out, over rows, replicas, pool, ranks and shards"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="scale" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{label}"><title>{label}</title>{STYLE}'
    ]
    for k, panel in enumerate(panels):
        x, y = k % ACROSS * (PANEL_WIDTH + GAP), k // ACROSS * (PANEL_HEIGHT + GAP)
        parts += [f'<g transform="translate({x} {y})">', *draw_panel(panel), "</g>"]
    return "\n".join([*parts, "</svg>"]) + "\n"
