"""What notebooks show of estimators and diagnoses."""

from __future__ import annotations

import html.parser
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kedge

VOID = {"br", "input", "link", "meta", "path", "rect"}


class Checked(html.parser.HTMLParser):
    """Notes tags that are not closed, and the text without styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.texts.append(data)


def table() -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"<b>size": rng.uniform(1, 1000, 90), "turn&tilt": rng.uniform(0, 360, 90)})
    return X, pd.Series(np.log(X["<b>size"]), name="<i>out")


def shown(text: str) -> str:
    checked = Checked(text)
    assert checked.open == []
    return re.sub(r"\s+", " ", " ".join(checked.texts))


def test_a_fitted_estimator_says_what_it_was_fitted_on_and_how_far_it_reaches() -> None:
    X, y = table()
    model = kedge.TransductionRegressor("ridge", space={0: "log", 1: "degrees"}).fit(X, y)
    text = shown(model._repr_html_())
    assert "TransductionRegressor: ridge, fitted" in text
    assert "Fitted on 90 rows of 2 inputs and 1 output." in text
    assert f"{X.iloc[:, 0].min():.4g} {X.iloc[:, 0].max():.4g}" in text
    assert "turn&tilt input, degrees" in text
    radius = model.info_["coverage"]["thresholds"]["support_radius"]
    assert f"a row is within {radius:.2g} deviations" in text
    expected = model.predict(X, return_std=True)[1].mean()
    inside = float(re.findall(r"an error of about (\S+) is expected", text)[0])
    assert inside == pytest.approx(expected, rel=0.1)


def test_names_are_escaped() -> None:
    X, y = table()
    model = kedge.TransductionRegressor("ridge").fit(X, y)
    for text in (model._repr_html_(), model.diagnose(X * 2, y)._repr_html_()):
        assert "<b>size" not in text and "<i>out" not in text


def test_the_parameters_of_scikit_learn_stay_reachable() -> None:
    X, y = table()
    model = kedge.TransductionRegressor("ridge", seed=7).fit(X, y)
    assert "sk-container" in model._repr_html_()
    assert "kedge-card" not in kedge.TransductionRegressor("ridge")._repr_html_()


def test_unknown_reach_and_errors_are_told() -> None:
    X, y = table()
    few = kedge.TransductionRegressor("linear").fit(X[:5], y[:5])
    assert "too few or too much alike" in few._repr_html_()
    assert "Expected errors were not learned" in (
        kedge.TransductionRegressor("ridge", calibration="none").fit(X, y)._repr_html_()
    )


def test_a_wide_table_is_cut() -> None:
    X = np.random.default_rng(1).normal(size=(60, 30))
    assert "and 19 more columns" in shown(kedge.TransductionRegressor("ridge").fit(X, X[:, 0])._repr_html_())


def test_a_diagnosis_counts_queries_and_names_columns() -> None:
    X, y = table()
    model = kedge.TransductionRegressor("ridge").fit(X, y)
    diagnosis = model.diagnose(X * [3, 1], y)
    text = shown(diagnosis._repr_html_())
    assert "Diagnosis of 90 queries" in text
    assert f"reachable {diagnosis.counts['reachable']}" in text
    assert "true error" in text
    outside = int((X.iloc[:, 0] * 3 > X.iloc[:, 0].max()).sum())
    assert f"<b>size {outside}" in text
    assert "true error" not in shown(model.diagnose(X)._repr_html_())
