"""Tables of simulated robots."""

from documents.results import mean_of, origin
from documents.tables import Row, columns, columns_in, contest_table, unrepeated, with_agreement

METHODS = ("Expert", "Linear", "Ridge by step", "Replay", "Neural Net", "Network with time", "DeepSets", "Transduction",
           "Ours")
PRESETS = ("paper", "released", "default")
GOALS = {"in": "in support", "oos": "out of support", "in, fresh": "in support, fresh",
         "oos, fresh": "out of support, fresh"}


def robots(results):
    return with_agreement(["error out of support", ""], columns(*METHODS), results.read("table-scaled-robots"), PRESETS)


def robots_fourier(results):
    result = results.read("table-fourier-robots")
    return with_agreement(["error out of support", ""], columns_in(result, METHODS), result, result.presets)


def robots_full(results):
    """Table 1 over all sizes of the paper."""
    return with_agreement(["error out of support", ""], columns(*METHODS), results.read("full/table-scaled-robots"),
                          ("paper", "released"))


def robots_seeds(results):
    return with_agreement(["error", ""], columns(*METHODS), results.read("table-seeds-robots"), PRESETS, ("oos", "in"))


def share(cell):
    return "" if mean_of(cell) is None else f"{100 * mean_of(cell):.0f} %"


def by_goals(result, goals, presets=("default",)):
    """Authors' goals and fresh ones; below them the share of episodes that hold the ball, where there is one."""
    of, rows = columns(*METHODS), []
    for row in result.rows:
        for preset in presets:
            for split in goals:
                where = GOALS[split] if len(presets) == 1 else f"{preset}, {GOALS[split]}"
                rows.append(Row([row, where], [result.cell(row, column.name, preset, split) for column in of], where))
                held = [result.find(row, column.name, preset, f"{split}, held") for column in of]
                if any(held):
                    rows.append(Row([row, f"{where}, held"], held, contest=False, texts=[share(cell) for cell in held]))
    return of, unrepeated(rows)


def robots_fresh(results):
    result = results.read("table-robots")
    of, rows = by_goals(result, GOALS)
    return contest_table(["default preset", "goals"], of, rows, 4, *origin(result))


def slider_experts(results):
    result = results.read("table-slider")
    of, rows = by_goals(result, ("in", "oos", "oos, fresh"), PRESETS)
    return contest_table(["slider, expert", "preset, masses"], of, rows, 4, *origin(result))
