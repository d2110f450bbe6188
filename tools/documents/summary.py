"""The README's table: kedge, the best simple model and the best other network for each problem."""

from documents import grasps, problems, robots
from documents.results import wrapped
from documents.tables import (BILINEAR, NETWORK, SIMPLE, Column, Row, best, columns, error_table,
                              winners)

KINDS = (BILINEAR, SIMPLE, NETWORK)
HEAD = [Column("", "bilinear", BILINEAR), Column("", "best simple model", SIMPLE), Column("", "best other network", NETWORK)]


def row_of(name, result, row, of):
    """The best of each kind, default preset, out of support."""
    cells = []
    for kind in KINDS:
        own = [column for column in of if column.kind == kind and result.find(row, column.name)]
        cells.append(best([result.find(row, column.name) for column in own], own))
    del cells[0]["who"]
    return Row([name], cells)


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
        lost = {name: (wins(rows)[kind], len(rows)) for name, rows in groups.items()}
        named = [f"{count} of {total} {name}" for name, (count, total) in lost.items() if count]
        if named:
            parts.append(f"{kind} is better on {' and '.join([', '.join(named[:-1]), named[-1]] if named[1:] else named)}")
    return f"Where kedge loses: {'; '.join(parts)}." if parts else "kedge loses on none of these groups."


def summary(results):
    grasp_methods, robot_methods = columns(*grasps.METHODS), columns(*robots.METHODS)
    demo = results.demo()
    functions = rows_of(demo, columns(*dict.fromkeys(column for _, column, _, _ in demo.cells)))
    grasp = rows_of(results.read("table-scaled"), grasp_methods, "grasp, {}")
    grasp[-1].labels = ["grasp, three objects"]
    turned = rows_of(results.read("table-se3"), columns("Tensor Field", *grasps.METHODS))
    robot = rows_of(results.read("table-scaled-robots"), robot_methods, "robot, {}")
    fresh = rows_of(results.read("fresh"), problems.fresh_columns())
    shown = [*functions, *grasp, *robot]
    table = [*error_table(["problem"], HEAD, functions, 3), *error_table(["problem"], HEAD, [*grasp, *robot], 4)[2:]]
    own, new = wins(shown), wins(fresh)
    groups = {"functions": functions, "grasps": grasp, "objects that only turn or grow": turned, "robots": robot}
    return [*table, "",
            *wrapped(f"`bilinear` has the least error on {own[BILINEAR]} of {len(shown)} problems, a simple model on "
                     f"{own[SIMPLE]}, another network on {own[NETWORK]}."),
            *wrapped(f"On {len(fresh)} problems that took no part in any choice: `bilinear` least on {new[BILINEAR]}, a simple "
                     f"model on {new[SIMPLE]}, another network on {new[NETWORK]}."),
            *wrapped(losses(groups))]
