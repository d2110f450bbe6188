"""The models of scikit-learn that kedge is measured beside."""

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


def gaussian_process(lengths, seed):
    """A squared exponential of `lengths` lengths, and noise; its numbers by maximum likelihood."""
    kernel = ConstantKernel() * RBF([1.0] * lengths, (1e-2, 1e3)) + WhiteKernel()
    return scaled(GaussianProcessRegressor(kernel, random_state=seed))
