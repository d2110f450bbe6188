"""The README's table: kedge, the best simple model and the best other network for each problem; where kedge loses."""

from documents import grasps, problems, robots, tour
from documents.results import wrapped
from documents.tables import (BILINEAR, GIVEN, NETWORK, SIMPLE, Column, Row, best, capital, columns, error_table,
                              is_close, named, plain_table, tally, winners)

KINDS = (BILINEAR, SIMPLE, NETWORK)
HEAD = [Column("", "bilinear", BILINEAR), Column("", "best simple model", SIMPLE),
        Column("", "best other network", NETWORK)]


def row_of(name, result, row, of):
    """The best of each kind, default preset, out of support."""
    cells = []
    for kind in KINDS:
        own = [column for column in of if column.kind == kind and result.find(row, column.name)]
        cells.append(best([result.find(row, column.name) for column in own], own))
    del cells[0]["who"]
    return Row([name], cells)


def best_of_kind(row, of, kind):
    own = [i for i, column in enumerate(of) if column.kind == kind and row.cells[i]]
    return best([row.cells[i] for i in own], [of[i] for i in own])


def rows_of(result, of, name="{}"):
    return [row_of(name.format(row.lower()), result, row, of) for row in result.rows]


def wins(rows):
    """Rows that each kind wins. A tie is not ours."""
    counts = dict.fromkeys(KINDS, 0)
    for row in rows:
        kinds = [HEAD[i].kind for i in winners(row, HEAD)]
        if kinds:
            counts[kinds[-1]] += 1
    return counts


def losses(groups):
    """Where a simple model or another network is better, as one sentence."""
    parts = []
    for kind in (SIMPLE, NETWORK):
        lost = [(wins(rows)[kind], len(rows), name) for name, rows in groups.items()]
        named = ", ".join(f"{count} of {total} {name}" for count, total, name in lost if count)
        if named:
            parts.append(f"to {kind} on {named}")
    return f"Where does kedge lose? {capital('; '.join(parts))}." if parts else "Where does kedge lose? On none of these."


def default_rows(result, of, split="oos"):
    return [Row([row], [result.find(row, column.name, split=split) for column in of]) for row in result.rows]


def losses_by_group(results):
    """Who errs least in each group of problems, default preset, out of support."""
    grasp_methods, robot_methods = columns(*grasps.METHODS), columns(*robots.METHODS)
    demo, figures, tiles = results.demo(), problems.figure_columns(), results.read("fig-tiles")
    weighted = results.read("table-weighted")
    groups = [
        ("fresh problems", problems.fresh_columns(), default_rows(results.read("fresh"), problems.fresh_columns())),
        ("functions of the demo", all_columns(demo), default_rows(demo, all_columns(demo))),
        ("functions of the figures", figures,
         [row for name in problems.FIGURES for row in default_rows(results.read(name), figures)]),
        ("grasps", grasp_methods, default_rows(results.read("table-scaled"), grasp_methods)),
        ("objects that only turn or grow", columns("Tensor Field", *grasps.METHODS),
         default_rows(results.read("table-se3"), columns("Tensor Field", *grasps.METHODS))),
        ("three objects of unknown kind", all_columns(weighted), default_rows(weighted, all_columns(weighted))),
        ("tiles", all_columns(tiles), default_rows(tiles, all_columns(tiles))),
        ("robots, the authors' goals", robot_methods, default_rows(results.read("table-scaled-robots"), robot_methods)),
        ("robots, fresh goals", robot_methods, default_rows(results.read("table-robots"), robot_methods, "oos, fresh")),
        ("slider by its expert, fresh masses", robot_methods,
         default_rows(results.read("table-slider"), robot_methods, "oos, fresh"))]
    lines = []
    for name, of, rows in groups:
        won = {kind: f"{count}{named(kind, titles)}" for kind, count, titles in tally(of, rows)}
        lines.append([name, str(len(rows)), *(won.get(kind, "0") for kind in (*KINDS, GIVEN))])
    return plain_table(["default preset, out of support", "rows", *KINDS, GIVEN], lines)


def all_columns(result):
    return columns(*dict.fromkeys(column for _, column, _, _ in result.cells))


def summary(results):
    grasp_methods, robot_methods = columns(*grasps.METHODS), columns(*robots.METHODS)
    figures = problems.figure_columns()
    functions = [row for name in problems.FIGURES for row in rows_of(results.read(name), figures)]
    grasp = rows_of(results.read("table-scaled"), grasp_methods, "grasp, {}")
    grasp[-1].labels = ["grasp, three objects"]
    turned = rows_of(results.read("table-se3"), columns("Tensor Field", *grasps.METHODS))
    robot = rows_of(results.read("table-scaled-robots"), robot_methods, "robot, {}")
    goals = default_rows(results.read("table-robots"), robot_methods, "oos, fresh")
    new_goals = [Row(row.labels, [best_of_kind(row, robot_methods, kind) for kind in KINDS]) for row in goals]
    fresh = rows_of(results.read("fresh"), problems.fresh_columns())
    shown = [*functions, *grasp, *robot]
    table = [*error_table(["problem"], HEAD, functions, 3), *error_table(["problem"], HEAD, [*grasp, *robot], 4)[2:]]
    own, new = wins(shown), wins(fresh)
    close = sum(is_close(row, HEAD) for row in shown)
    groups = {"functions": functions, "grasps": grasp, "turned objects": turned, "robots": robot,
              "robots with fresh goals": new_goals}
    sentences = [f"`bilinear` has the least error on {own[BILINEAR]} of {len(shown)} problems, a simple model on "
                 f"{own[SIMPLE]}, another network on {own[NETWORK]}; {close} are decided by less than one deviation.",
                 f"On {len(fresh)} fresh problems, which took no part in any choice: `bilinear` {new[BILINEAR]}, one of "
                 f"our simple models {new[SIMPLE]}, another network {new[NETWORK]} "
                 f"({sum(is_close(row, HEAD) for row in fresh)} within one deviation).", tour.sentence(results), losses(groups)]
    return [*table, "", *wrapped(" ".join(sentences))]
