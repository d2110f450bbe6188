"""The examples and the code of the documents run, and the documents name every parameter."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kedge

pytest.importorskip("pandas")
matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

ROOT = Path(__file__).parents[2]
EXAMPLES, PAGE = ROOT / "examples", ROOT / "docs" / "python.md"
PNG = b"\x89PNG\r\n\x1a\n"


def test_the_example_ends_with_a_coverage_picture(tmp_path: Path) -> None:
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    ended = subprocess.run(
        [sys.executable, EXAMPLES / "regression.py", tmp_path / "out"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=tmp_path,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    error, expected = map(float, re.findall(r"mean error ([\d.]+), expected ([\d.]+)", ended.stdout)[0])
    # Heads vary by 22; the greatest of the training rows would miss by 36.
    assert error < 4 and expected < 10
    assert "the verdict is unreachable" in ended.stdout
    assert (tmp_path / "out" / "coverage.png").read_bytes().startswith(PNG)


@pytest.mark.filterwarnings("default")  # Of the kernel's own packages.
def test_the_notebook_runs_and_holds_no_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(EXAMPLES / "regression.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    place = {"metadata": {"path": str(EXAMPLES)}}
    nbclient.NotebookClient(notebook, kernel_name="python3", resources=place).execute()
    kinds = [kind for cell in code for output in cell.outputs for kind in output.get("data", {})]
    assert kinds.count("image/png") == 3
    assert any("kedge-card" in output["data"]["text/html"] for output in code[1].outputs)


def blocks() -> list[str]:
    """Python code of the page, without what needs a cluster of its own."""
    found = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(found) > 10
    return [block for block in found if "import ray" not in block]


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("onnx", "onnxruntime", "dask.distributed"):
        pytest.importorskip(module)
    for name in ("pump.csv", "pump_beyond.csv"):
        shutil.copy(EXAMPLES / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    known: dict[str, Any] = {}
    for number, block in enumerate(blocks()):
        exec(compile(block, f"block {number} of docs/python.md", "exec"), known)
    matplotlib.pyplot.close("all")
    assert (tmp_path / "parity.png").read_bytes().startswith(PNG)


def table_rows(section: str) -> dict[str, str]:
    """First and second cell of the rows of a section's table."""
    text = PAGE.read_text(encoding="utf-8").split(f"### {section}\n")[1].split("\n#")[0]
    return dict(re.findall(r"^\| `(\w+)` \| `([^`]*)` \|", text, re.MULTILINE))


def test_the_page_lists_every_parameter_with_its_default() -> None:
    parameters = inspect.signature(kedge.TransductionRegressor).parameters.values()
    expected = {one.name: repr(one.default).replace("'", '"') for one in parameters}
    assert list(table_rows("Parameters").items()) == list(expected.items())


def test_parameters_of_weighted_transduction_are_those_of_the_page() -> None:
    own = set(inspect.signature(kedge.WeightedTransductionRegressor).parameters)
    assert own - set(table_rows("Parameters")) == {"weights"}


def test_the_page_names_what_fit_takes() -> None:
    text = PAGE.read_text(encoding="utf-8")
    taken = re.findall(r"`fit\((.*?)\)`", text)[0]
    names = [part.split("=")[0] for part in taken.split(", ")]
    assert names == list(inspect.signature(kedge.TransductionRegressor().fit).parameters)


def test_the_page_explains_every_verdict() -> None:
    from kedge._library import VERDICTS

    section = PAGE.read_text(encoding="utf-8").split("## Evidence")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(VERDICTS)
