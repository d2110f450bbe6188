"""Data and settings that the tests share: small tables, few steps, constant seeds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

QUICK = {
    "steps": 200,
    "layers": 2,
    "width": 16,
    "embedding": 8,
    "pool": 300,
    "batch": 16,
    "learning_rate": 0.01,
    "calibration": "none",
    "fourier": "off",
    "replicas": 1,
    "n_jobs": 1,
}


@pytest.fixture
def quick() -> dict:
    """Settings of a fit that takes a few milliseconds."""
    return dict(QUICK)


@pytest.fixture(scope="session")
def table() -> tuple[np.ndarray, np.ndarray]:
    """A smooth function of two inputs, 80 rows."""
    rng = np.random.default_rng(7)
    X = rng.uniform(-1, 1, (80, 2))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2


@pytest.fixture(scope="session")
def two_outputs(table: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The same inputs with two outputs."""
    X, y = table
    return X, np.column_stack([y, X[:, 0] - X[:, 1]])


class CommandLine:
    """Runs the program that was built beside the library."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program, self.folder = program, folder

    def __call__(self, *arguments: str) -> str:
        """Run it in its folder; return what it printed."""
        ended = subprocess.run(
            [str(self.program), *arguments], cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def write_csv(self, name: str, columns: dict[str, list]) -> None:
        """A CSV file; str of a float has all its bits."""
        lines = [",".join(columns)]
        lines += [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
        (self.folder / name).write_text("\n".join(lines) + "\n")


@pytest.fixture
def command_line(tmp_path: Path) -> CommandLine:
    """The program kedge; tests that need it are skipped where it was not built."""
    beside = Path(os.environ.get("KEDGE_LIBRARY", "")).with_name("kedge")
    program = Path(os.environ.get("KEDGE_BINARY", beside))
    if not program.is_file():
        pytest.skip("needs the program kedge; found none beside the library; build it")
    return CommandLine(program, tmp_path)
