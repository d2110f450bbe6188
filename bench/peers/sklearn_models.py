"""The models of scikit-learn that kedge is measured beside."""

import math

from sklearn.compose import TransformedTargetRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

PENALTIES = [10.0**p for p in range(-6, 4)]


def scaled(*steps):
    """Inputs and outputs are standardized first."""
    return TransformedTargetRegressor(make_pipeline(StandardScaler(), *steps), transformer=StandardScaler())


def ridge():
    return RidgeCV(PENALTIES)


def spread(rows, most):
    """At most so many of the rows, evenly spread."""
    return [i * rows // min(rows, most) for i in range(min(rows, most))]


class TriedProcess(GaussianProcessRegressor):
    """Starts from the likeliest of several lengths, tried on few rows: from one length it often ends in taking all for noise."""

    FEW, LENGTHS = 300, (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)

    def fit(self, X, y):  # noqa: N803
        few = spread(len(X), self.FEW)
        tried = [GaussianProcessRegressor(self._starting(length)).fit(X[few], y[few]) for length in self.LENGTHS]
        self.kernel = max(tried, key=lambda model: model.log_marginal_likelihood_value_).kernel_
        return super().fit(X, y)

    def _starting(self, length):
        theta = self.kernel.theta.copy()
        theta[1:-1] = math.log(length)  # between the size and the noise
        return self.kernel.clone_with_theta(theta)


def gaussian_process(lengths, seed, kind=GaussianProcessRegressor):
    """A squared exponential of `lengths` lengths, and noise; its numbers by maximum likelihood."""
    kernel = ConstantKernel() * RBF([1.0] * lengths, (1e-2, 1e3)) + WhiteKernel()
    return scaled(kind(kernel, random_state=seed))
