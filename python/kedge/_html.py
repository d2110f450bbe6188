"""What notebooks show of a fitted estimator and of a diagnosis: small tables, in light and dark mode."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._model_file import kinds_of

if TYPE_CHECKING:
    from ._base import TableEstimator
    from ._diagnosis import Diagnosis

_MOST_COLUMNS = 12

# Colours are those of the notebook; greys are half transparent, so that they suit a light and a dark page.
_STYLE = """<style>
.kedge-card{font-size:13px;line-height:1.5;max-width:46em;border:1px solid #8886;border-radius:6px;
padding:.6em 1em;color:inherit;background:transparent}
.kedge-card h4{margin:0 0 .3em;font-size:14px}.kedge-card p{margin:.3em 0}
.kedge-card table{border-collapse:collapse;margin:.4em 0;background:transparent}
.kedge-card table{font-size:inherit;color:inherit}
.kedge-card th,.kedge-card td{padding:.1em .8em .1em 0;text-align:left;border:0;
background:transparent;color:inherit}
.kedge-card th{font-weight:600;border-bottom:1px solid #8886}.kedge-card td.number{text-align:right;
font-variant-numeric:tabular-nums}.kedge-card summary{cursor:pointer;opacity:.75}
</style>"""


def estimator_html(estimator: TableEstimator) -> str:
    """What a fitted estimator is, what it was fitted on and how far it reaches.

    scikit-learn's own diagram, with the parameters, is folded below it.

    Parameters
    ----------
    estimator : fitted estimator
        What to show.

    Returns
    -------
    str
        HTML.
    """
    from sklearn.utils import estimator_html_repr

    info = estimator.info_
    training, outputs = estimator.training_data()
    columns = [
        *_ranges(info["inputs"], training, info["space"], "input"),
        *_ranges(info["outputs"], outputs, info["space"], "output"),
    ]
    parts = [
        f"<h4>{_text(type(estimator).__name__)}: {_text(info['options']['model'])}, fitted</h4>",
        f"<p>{_text(_fitted_on(info))}</p>",
        _table(["column", "", "least", "greatest"], columns[:_MOST_COLUMNS]),
    ]
    if len(columns) > _MOST_COLUMNS:
        parts.append(f"<p>and {len(columns) - _MOST_COLUMNS} more columns</p>")
    parts += [f"<p>{_text(sentence)}</p>" for sentence in _reach(info)]
    diagram = estimator_html_repr(estimator)
    parts.append(f"<details><summary>parameters</summary>{diagram}</details>")
    return _card(parts)


def diagnosis_html(diagnosis: Diagnosis) -> str:
    """Where queries lie: counts and errors by verdict, and the columns that lead them out.

    Parameters
    ----------
    diagnosis : Diagnosis
        What to show.

    Returns
    -------
    str
        HTML.
    """
    report = diagnosis.report
    counted = [one for one in report["verdicts"] if one["queries"]]
    has_truth = any(one["true_error"] is not None for one in counted)
    keys = ["queries", "expected_error", *(["true_error"] if has_truth else []), "support_distance"]
    verdicts = [[one["verdict"], *(_number(one[key]) for key in keys)] for one in counted]
    heads = ["verdict", *(key.replace("_", " ") for key in keys)]
    total = sum(one["queries"] for one in counted)
    parts = [f"<h4>Diagnosis of {total} {_plural(total, 'query', 'queries')}</h4>", _table(heads, verdicts)]
    led_out = [one for one in report["columns"] if one["outside"]]
    if led_out:
        led_out.sort(key=lambda one: one["outside"], reverse=True)
        shown = led_out[:_MOST_COLUMNS]
        rows = [[one["name"], _number(one["outside"]), _number(one["furthest"])] for one in shown]
        parts.append(_table(["column", "queries outside its range", "farthest by"], rows))
    if report.get("combinations"):
        number = report["combinations"]
        have = _plural(number, "query has", "queries have")
        parts.append(f"<p>{number} {have} every column in its range, and no training row near.</p>")
    return _card(parts)


def _fitted_on(info: dict[str, Any]) -> str:
    rows, inputs, outputs = info["rows"], len(info["inputs"]), len(info["outputs"])
    return (
        f"Fitted on {rows} rows of {inputs} {_plural(inputs, 'input', 'inputs')} and {outputs} "
        f"{_plural(outputs, 'output', 'outputs')}."
    )


def _ranges(names: Sequence[str], values: Any, space: str, role: str) -> list[list[str]]:
    """Name, role, least and greatest value of each column; angles and rotations have no ends."""
    kinds = {name: kind for group, kind in kinds_of(space).items() for name in (group.split("+"))}
    rows = []
    for number, name in enumerate(names):
        kind = kinds.get(name, "")
        ends = [""] * 2
        if kind not in ("angle", "degrees", "rotation"):
            ends = [_number(values[:, number].min()), _number(values[:, number].max())]
        rows.append([name, f"{role}, {kind}" if kind else role, *ends])
    return rows


def _reach(info: dict[str, Any]) -> list[str]:
    """How far the model can be asked, in words."""
    coverage = info.get("coverage") or {}
    thresholds = coverage.get("thresholds") or {}
    support, delta = thresholds.get("support_radius"), thresholds.get("delta_radius")
    if not support or not delta:
        return ["The training rows are too few or too much alike to tell how far this model reaches."]
    sentences = [
        "A query is among the training rows if every input is in its range and a row is within "
        f"{support:.2g} deviations.",
        f"Beyond, it is reachable if its difference to an anchor is within {delta:.2g} deviations of one "
        f"that was seen, and at the edge within {delta * thresholds.get('edge_factor', 2):.2g}.",
    ]
    inside = _error_inside(coverage.get("errors") or {})
    if inside is None:
        sentences.append("Expected errors were not learned.")
    else:
        sentences.append(f"Among the training rows an error of about {inside:.2g} is expected.")
    return sentences


def _error_inside(errors: dict[str, Any]) -> float | None:
    """The expected error of a query in support whose spread is the usual one."""
    coefficients, scale = errors.get("coefficients") or [], errors.get("output_scale")
    if not scale or not any(coefficients):
        return None
    usual = coefficients[3] if errors.get("usual_spread") else 0.0
    return float(scale * (coefficients[0] + usual))


def _card(parts: Iterable[str]) -> str:
    return f'{_STYLE}<div class="kedge-card">{"".join(parts)}</div>'


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """First column left, numbers right."""
    lines = ["<tr>" + "".join(f"<th>{_text(head)}</th>" for head in heads) + "</tr>"]
    for row in rows:
        kinds = ["", *(' class="number"' if _is_number(cell) else "" for cell in row[1:])]
        cells = [f"<td{kind}>{_text(cell)}</td>" for kind, cell in zip(kinds, row, strict=True)]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _is_number(cell: str) -> bool:
    return cell[:1].isdigit() or cell[:1] == "-"


def _text(value: str) -> str:
    return html.escape(str(value))


def _number(value: Any) -> str:
    if value is None or (isinstance(value, float | np.floating) and not math.isfinite(value)):
        return ""
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)


def _plural(count: int, one: str, many: str) -> str:
    return one if count == 1 else many
