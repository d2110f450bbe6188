"""TransductionRegressor keeps scikit-learn's contract, in its checks and in its tools."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn
from conftest import QUICK
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import kedge


def expected_failures(estimator: Any) -> dict[str, str]:
    """Checks of scikit-learn's that cannot hold, and why."""
    if estimator.model == "linear":
        return {}
    reason = (
        "training draws pairs: a row of weight 2 is drawn as often as two copies of it, but in another order"
    )
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks(
    [kedge.TransductionRegressor(**QUICK), kedge.TransductionRegressor("linear", n_jobs=1)],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_a_clone_has_the_settings_and_no_model(table: Any) -> None:
    model = kedge.TransductionRegressor(**QUICK, space={0: "angle"}).fit(*table)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "n_features_in_")


def test_a_grid_search_finds_the_better_model_and_refits_it(table: Any) -> None:
    X, y = table
    grid = GridSearchCV(kedge.TransductionRegressor(**QUICK), {"model": ["bilinear-ridge", "extreme"]}, cv=3)
    found = grid.fit(X, y)
    assert found.best_params_ == {"model": "bilinear-ridge"}
    alone = kedge.TransductionRegressor(**(QUICK | {"model": "bilinear-ridge"})).fit(X, y)
    assert found.best_estimator_.to_bytes() == alone.to_bytes()


def test_a_pipeline_predicts_like_its_parts(table: Any) -> None:
    X, y = table
    pipeline = make_pipeline(StandardScaler(), kedge.TransductionRegressor(**QUICK)).fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    alone = kedge.TransductionRegressor(**QUICK).fit(scaled, y)
    np.testing.assert_array_equal(pipeline.predict(X), alone.predict(scaled))


def test_a_column_transformer_names_the_columns(table: Any) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = table
    frame = pandas.DataFrame(X, columns=["size", "load"]).assign(place=["a", "b"] * 40)
    columns = ColumnTransformer(
        [("words", OneHotEncoder(sparse_output=False), ["place"])],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    pipeline = make_pipeline(columns, kedge.TransductionRegressor("ridge")).fit(frame, y)
    assert list(pipeline[-1].feature_names_in_) == ["place_a", "place_b", "size", "load"]
    assert pipeline[-1].info_["inputs"] == ["place_a", "place_b", "size", "load"]
    assert pipeline.predict(frame).shape == y.shape


def test_a_target_may_be_transformed(table: Any) -> None:
    X, y = table
    model = TransformedTargetRegressor(
        kedge.TransductionRegressor("linear"), func=np.exp, inverse_func=np.log
    )
    assert model.fit(X, X[:, 0]).predict(X).shape == y.shape


def test_labels_are_routed_to_the_fits_of_a_search(table: Any) -> None:
    X, y = table
    label = np.arange(len(X)) % 2
    with sklearn.config_context(enable_metadata_routing=True):
        model = kedge.TransductionRegressor(**QUICK).set_fit_request(label=True)
        routed = cross_validate(
            model, X, y, params={"label": label, "groups": label}, cv=GroupKFold(2), return_estimator=True
        )
        plain = cross_validate(
            kedge.TransductionRegressor(**QUICK),
            X,
            y,
            params={"groups": label},
            cv=GroupKFold(2),
            return_estimator=True,
        )
    held_in = X[label == 1], y[label == 1]
    pairs = {est.info_["options"]["pairs"]["rule"] for est in routed["estimator"]}
    assert pairs == {"same-label"}
    assert {est.info_["options"]["pairs"]["rule"] for est in plain["estimator"]} == {"any"}
    assert len(held_in[0]) == routed["estimator"][0].info_["rows"]


def test_scores_are_r_squared(two_outputs: Any) -> None:
    from sklearn.metrics import r2_score

    X, y = two_outputs
    model = kedge.TransductionRegressor("quadratic").fit(X, y)
    assert model.score(X, y) == pytest.approx(r2_score(y, model.predict(X)))
    assert model.score(X, y) > 0.9


def test_a_fit_that_learns_nothing_warns(table: Any) -> None:
    X, y = table
    with pytest.warns(ConvergenceWarning, match="no better than a constant"):
        kedge.TransductionRegressor(**(QUICK | {"steps": 1, "learning_rate": 1.0})).fit(X, y)


def test_callbacks_are_told_of_every_percent(table: Any) -> None:
    pytest.importorskip("sklearn.callback")
    told: list[str] = []

    class Listener:
        def setup(self, estimator: Any, context: Any) -> None:
            told.append("setup")

        def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
            pass

        def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any = None) -> None:
            told.append(context.task_name)
            if context.task_name == "fit":
                assert fitted_estimator.predict(table[0]).shape == (80,)

        def teardown(self, estimator: Any, context: Any) -> None:
            told.append("teardown")

    model = kedge.TransductionRegressor(**QUICK).set_callbacks(Listener())
    model.fit(*table)
    assert told == ["setup", *["percent"] * 100, "fit", "teardown"]


def test_a_fault_in_a_callback_ends_the_fit_and_tears_down(table: Any) -> None:
    pytest.importorskip("sklearn.callback")
    told: list[str] = []

    class Broken:
        def setup(self, estimator: Any, context: Any) -> None:
            told.append("setup")

        def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
            if context.task_name == "percent":
                raise RuntimeError("callback")

        def on_fit_task_end(self, estimator: Any, context: Any) -> None:
            pass

        def teardown(self, estimator: Any, context: Any) -> None:
            told.append("teardown")

    with pytest.raises(RuntimeError, match="callback"):
        kedge.TransductionRegressor(**QUICK).set_callbacks(Broken()).fit(*table)
    assert told == ["setup", "teardown"]
