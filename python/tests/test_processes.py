"""Pickles, processes, threads, Ctrl-C and silence."""

from __future__ import annotations

import logging
import multiprocessing
import pickle
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import cloudpickle
import joblib
import numpy as np
import pytest
from conftest import QUICK
from sklearn.model_selection import GridSearchCV

import kedge

LONG = {**QUICK, "steps": 50_000_000}


def fitted_bytes(seed: int, X: np.ndarray, y: np.ndarray) -> bytes:
    """The model of a seed; runs in other processes."""
    return kedge.TransductionRegressor(**QUICK, seed=seed).fit(X, y).to_bytes()


def answers_of(model: Any, X: np.ndarray) -> np.ndarray:
    """Predictions; runs in other processes."""
    return model.predict(X)


def test_a_pickle_is_the_model_file_and_little_more(table: Any) -> None:
    X, y = table
    model = kedge.TransductionRegressor(**QUICK).fit(X, y)
    data = pickle.dumps(model)
    assert len(data) < len(model.to_bytes()) + 4000
    copy = pickle.loads(data)
    assert copy.get_params() == model.get_params()
    assert copy.report_ == model.report_
    np.testing.assert_array_equal(copy.predict(2 * X), model.predict(2 * X))


def test_picklers_that_copy_classes_take_a_fitted_model_too(table: Any) -> None:
    # Dask sends estimators this way.
    X, y = table
    model = kedge.TransductionRegressor(**QUICK).fit(X, y)
    copy = pickle.loads(cloudpickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(2 * X), model.predict(2 * X))


def test_a_damaged_pickle_is_found(table: Any) -> None:
    model = kedge.TransductionRegressor(**QUICK).fit(*table)
    data = bytearray(pickle.dumps(model))
    place = data.index(model.to_bytes()) + len(model.to_bytes()) - 9
    data[place] ^= 1
    with pytest.raises(kedge.ModelFileError, match="pickle"):
        pickle.loads(bytes(data))


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_gives_the_models_of_one_process(table: Any, backend: str) -> None:
    alone = [fitted_bytes(seed, *table) for seed in range(3)]
    with joblib.parallel_config(backend, n_jobs=2):
        assert joblib.Parallel()(joblib.delayed(fitted_bytes)(seed, *table) for seed in range(3)) == alone


@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_models_work_on_both_sides_of_a_new_process(table: Any, method: str) -> None:
    X, y = table
    model = kedge.TransductionRegressor(**QUICK).fit(X, y)
    with multiprocessing.get_context(method).Pool(1) as pool:
        np.testing.assert_array_equal(pool.apply(answers_of, (model, X)), model.predict(X))
        assert pool.apply(fitted_bytes, (1, X, y)) == fitted_bytes(1, X, y)


def test_threads_may_share_a_model(table: Any) -> None:
    X, y = table
    model = kedge.TransductionRegressor(**QUICK).fit(X, y)
    alone = model.predict(X)
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(model.predict(X))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    for answers in found:
        np.testing.assert_array_equal(answers, alone)


def test_dask_gives_the_search_of_one_machine(table: Any) -> None:
    distributed = pytest.importorskip("distributed")
    X, y = table
    grid = {"seed": [0, 1], "model": ["bilinear", "linear"]}
    alone = GridSearchCV(kedge.TransductionRegressor(**QUICK), grid, cv=2).fit(X, y)
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**settings) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        spread = GridSearchCV(kedge.TransductionRegressor(**QUICK), grid, cv=2).fit(X, y)
    np.testing.assert_array_equal(spread.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])
    assert spread.best_estimator_.to_bytes() == alone.best_estimator_.to_bytes()


INTERRUPTED = """
import logging, os, signal, threading, time
import numpy as np
import kedge

class Press(logging.Handler):
    def emit(self, record):
        if record.getMessage() == "fit: training":
            os.kill(os.getpid(), signal.SIGINT)

def tasks():
    return len(os.listdir("/proc/self/task"))

logger = logging.getLogger("kedge")
logger.setLevel(logging.INFO)
logger.addHandler(Press())
X = np.linspace(0, 1, 50).reshape(-1, 1)
model = kedge.TransductionRegressor(steps=50_000_000, calibration="none", fourier="off")
before = tasks()
try:
    model.fit(X, X[:, 0])
except KeyboardInterrupt:
    for _ in range(500):  # a joined thread takes a moment to leave the list of the system
        if tasks() > before:
            time.sleep(0.01)
    print("interrupted", threading.active_count(), tasks() - before, hasattr(model, "n_features_in_"))
logger.setLevel(logging.WARNING)
print(model.set_params(steps=50).fit(X, X[:, 0]).predict(X).shape)
"""


def test_ctrl_c_stops_a_fit_and_leaves_nothing_behind() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert ended.stdout.splitlines() == ["interrupted 1 0 False", "(50,)"], ended.stderr
    assert ended.stderr == ""


def test_ctrl_c_that_nobody_catches_ends_the_process() -> None:
    program = INTERRUPTED.replace("except KeyboardInterrupt", "except ZeroDivisionError")
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == -signal.SIGINT
    assert ended.stderr.strip().splitlines()[-1] == "KeyboardInterrupt"


def test_other_threads_run_while_the_library_works(table: Any) -> None:
    counted, begun, halted = [0], threading.Event(), threading.Event()

    def count() -> None:
        begun.set()
        while not halted.is_set():
            counted[0] += 1
            time.sleep(0)

    class EnoughError(Exception):
        pass

    class Watcher(logging.Handler):
        seen = 0

        def emit(self, record: logging.LogRecord) -> None:
            if "step" in record.getMessage():
                self.seen += 1
                if self.seen == 1:
                    counted[0] = 0
                elif counted[0] > 1000:
                    raise EnoughError

    watcher = Watcher()
    logger = logging.getLogger("kedge")
    counter = threading.Thread(target=count)
    counter.start()
    begun.wait()
    logger.addHandler(watcher)
    logger.setLevel(logging.DEBUG)
    try:
        with pytest.raises(EnoughError):
            kedge.TransductionRegressor(**LONG).fit(*table)
    finally:
        logger.removeHandler(watcher)
        logger.setLevel(logging.NOTSET)
        halted.set()
        counter.join()
    assert threading.active_count() == 1 or "kedge" not in {t.name for t in threading.enumerate()}


def test_nothing_is_printed_unless_it_is_asked_for(table: Any, capfd: pytest.CaptureFixture[str]) -> None:
    X, y = table
    kedge.TransductionRegressor(**QUICK).fit(X, y).predict(X)
    assert capfd.readouterr() == ("", "")


def test_verbose_shows_a_bar_of_tqdm(table: Any, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    kedge.TransductionRegressor(**QUICK, verbose=1).fit(*table)
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "fit: 100%" in printed.err


def test_verbose_prints_lines_where_tqdm_is_missing(
    table: Any, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    kedge.TransductionRegressor(**QUICK, verbose=1).fit(*table)
    printed = capfd.readouterr()
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert lines[0].startswith("kedge fit: 0 %, training")
    assert lines[-1] == "kedge fit: done"
    assert "nan" not in printed.err


def test_the_logger_tells_of_phases(table: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "kedge")
    kedge.TransductionRegressor(**(QUICK | {"calibration": "shells"})).fit(*table)
    told = [record.getMessage() for record in caplog.records if record.name == "kedge"]
    assert told[0] == "fit: begins"
    assert told[-1] == "fit: ends"
    assert "fit: training" in told
    assert "fit: rehearsing" in told
