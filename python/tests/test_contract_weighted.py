"""WeightedTransductionRegressor keeps scikit-learn's contract. Slow: each of its fits takes two seconds."""

from __future__ import annotations

from typing import Any

from conftest import QUICK
from sklearn.utils.estimator_checks import parametrize_with_checks

import kedge

# Weights are learned from the errors of a model, which has to be trained well enough to tell pairs apart.
TRAINED = QUICK | {"steps": 1000, "batch": 32}


@parametrize_with_checks([kedge.WeightedTransductionRegressor(**TRAINED)])
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)
