"""What is in the wheel and in the source archive, and what an import costs."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from scikit_build_core import build

import kedge

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.search(r"project\(kedge VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
OPTIONAL = ("matplotlib", "onnx", "pandas", "polars", "pyarrow", "tqdm")


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> Message:
    folder = tmp_path_factory.mktemp("metadata")
    os.chdir(ROOT)
    name = build.prepare_metadata_for_build_wheel(str(folder))
    return Parser().parsestr((folder / name / "METADATA").read_text(encoding="utf-8"))


def loaded_by(statement: str) -> set[str]:
    """The modules that a new interpreter has after a statement."""
    program = f"import sys; {statement}; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(found.stdout.split())


def test_the_version_has_one_home(metadata: Message) -> None:
    assert metadata["Version"] == VERSION
    assert kedge.__version__ == VERSION


def test_numpy_and_scikit_learn_are_all_that_is_needed(metadata: Message) -> None:
    needed = [text for text in metadata.get_all("Requires-Dist") if "extra ==" not in text]
    assert {re.match("[a-z-]+", text)[0] for text in needed} == {"numpy", "scikit-learn"}


def test_every_optional_package_has_an_extra(metadata: Message) -> None:
    assert set(metadata.get_all("Provides-Extra")) == {"all", "frames", "onnx", "plot", "progress"}


def test_the_licences_of_what_is_compiled_in_come_along(metadata: Message) -> None:
    assert set(metadata.get_all("License-File")) == {"LICENSE", "NOTICE", "cmake/copyright"}


def test_an_import_loads_nothing_optional() -> None:
    assert loaded_by("import kedge").isdisjoint(OPTIONAL)


def test_the_code_of_the_readme_runs() -> None:
    text = (ROOT / "python/README.md").read_text(encoding="utf-8")
    code = re.findall("```python\n(.*?)```", text, re.DOTALL)
    assert len(code) == 1
    found = subprocess.run([sys.executable, "-c", code[0]], capture_output=True, text=True, check=True)
    assert float(found.stdout.split("]")[0].lstrip("[ ")) == pytest.approx(3 * 45**2, rel=0.01)


def test_the_source_archive_has_what_a_wheel_is_built_of(tmp_path: Path) -> None:
    os.chdir(ROOT)
    name = build.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as archive:
        files = {file.partition("/")[2] for file in archive.getnames()}
    folders = {"kedge": ("*.cpp", "*.h"), "cmake": ("*",), "python/kedge": ("*.py",)}
    needed = {
        "CMakeLists.txt",
        "LICENSE",
        "NOTICE",
        "pyproject.toml",
        "python/README.md",
        "python/kedge/py.typed",
    }
    for folder, patterns in folders.items():
        for pattern in patterns:
            needed |= {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob(pattern)}
    assert needed - files == set()
    assert not any(file.startswith(("build/", "results/", "tests/")) for file in files)


def test_without_the_package_index_one_line_says_what_is_skipped(tmp_path: Path) -> None:
    for name in ("python/requirements-test.txt", "python/tests/setup"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    nowhere = {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": "http://127.0.0.1:9/",
        "PYTHON": sys.executable,
    }
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **nowhere}
    command = [tmp_path / "python/tests/setup"]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 77
    assert found.stderr == ""
    skipped = [line for line in found.stdout.splitlines() if "skipped" in line]
    assert skipped == [
        "kedge: the tests of the Python package are skipped: the package index cannot be reached or lacks a "
        "package of python/requirements-test.txt; see build/python-setup.log"
    ]
