"""WeightedTransductionRegressor keeps scikit-learn's contract. Slow: each of its fits takes two seconds."""

from __future__ import annotations

from typing import Any

from conftest import QUICK
from sklearn.utils.estimator_checks import parametrize_with_checks

import kedge


@parametrize_with_checks([kedge.WeightedTransductionRegressor(**QUICK)])
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)
