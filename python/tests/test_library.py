"""The C library is found, declared as its header says, and its faults become exceptions."""

from __future__ import annotations

import gc
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kedge
from kedge import _library

HEADER = Path(__file__).parents[2] / "kedge" / "kedge_c.h"


def declarations() -> dict[str, int]:
    """Functions of the header with how many parameters each has."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
    found = re.findall(r"^KEDGE_API\s[^(;]*?\b(kedge_\w+)\(([^;]*)\);", text, flags=re.MULTILINE)
    return {name: 0 if arguments.strip() == "void" else arguments.count(",") + 1 for name, arguments in found}


def constants(prefix: str) -> dict[str, int]:
    """Values of the header's enumerations by name."""
    return {name: int(value) for name, value in re.findall(rf"\b({prefix}\w+) = (\d+)", HEADER.read_text())}


def test_every_function_of_the_header_is_declared_with_its_parameters() -> None:
    assert len(declarations()) > 40
    assert _library.declared() == declarations()


def test_numbers_and_verdicts_stand_in_the_order_of_the_header() -> None:
    values = constants("KEDGE_")
    for names in (_library.NUMBERS, _library.COUNTS, _library.VERDICTS):
        assert [values[f"KEDGE_{name.upper()}"] for name in names] == list(range(len(names)))
    for name in ("INVALID", "STOPPED", "DIVERGED", "DAMAGED", "NO_MEMORY", "INTERNAL"):
        assert values[f"KEDGE_{name}"] == getattr(_library, name)
    for name in ("INPUT", "OUTPUT", "LABEL", "EPISODE", "TIME", "IGNORED", "WEIGHT"):
        assert values[f"KEDGE_{name}"] == getattr(_library, name)


def imported_with(library: str) -> str:
    """The last line that Python prints when the library cannot be used."""
    environment = os.environ | {"KEDGE_LIBRARY": library}
    ended = subprocess.run(
        [sys.executable, "-c", "import kedge; kedge.__version__"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode != 0
    return ended.stderr.strip().splitlines()[-1]


def test_a_missing_library_is_one_line_that_says_what_to_do() -> None:
    line = imported_with("/nowhere/libkedge_c.so")
    assert line.startswith("ImportError: kedge needs its library libkedge_c.so")
    assert "KEDGE_LIBRARY" in line


def test_another_library_is_refused() -> None:
    import ctypes.util

    assert "is another one" in imported_with(ctypes.util.find_library("m") or "libm.so.6")


def test_import_loads_neither_numpy_nor_scikit_learn() -> None:
    text = "import sys, kedge; print(sorted({'numpy', 'sklearn', 'pandas', 'ctypes'} & set(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


def test_the_module_lists_what_it_has_and_nothing_else() -> None:
    assert set(kedge.__all__) <= set(dir(kedge))
    for name in kedge.__all__:
        assert getattr(kedge, name).__doc__
    assert re.fullmatch(r"\d+\.\d+\.\d+", kedge.__version__)
    with pytest.raises(AttributeError, match="no attribute 'Regressor'"):
        kedge.Regressor  # noqa: B018


def documented() -> list[tuple[str, str]]:
    """Public classes, functions and methods of ours, with their texts."""
    found = []
    for name in kedge.__all__:
        thing = getattr(kedge, name)
        found.append((name, thing.__doc__))
        for owner in getattr(thing, "__mro__", ()):
            if owner.__module__.startswith("kedge"):
                found += [
                    (f"{name}.{method}", function.__doc__)
                    for method, function in vars(owner).items()
                    if callable(function) and not method.startswith("_")
                ]
    return found


def test_all_that_is_public_has_a_text_with_an_example() -> None:
    # What draws or exports needs packages that need not be there; a controller's example is its class's.
    without = {"Diagnosis.plot", "Controller.begin", "Controller.act"}
    without |= {f"{name}.to_onnx" for name in ("TransductionRegressor", "WeightedTransductionRegressor")}
    found = documented()
    assert {name for name, text in found if "Examples\n" not in (text or "")} == without
    assert len(found) > 25


def test_an_error_names_the_setting_that_mends_it_also_after_a_pickle() -> None:
    error = pickle.loads(pickle.dumps(kedge.KedgeError("one line", "width")))
    assert (str(error), error.setting) == ("one line", "width")


def test_predictors_are_freed_with_their_estimators(quick: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    freed = []
    free = _library.library.kedge_predictor_free

    def count(address: int) -> None:
        freed.append(address)
        free(address)

    monkeypatch.setattr(_library.library, "kedge_predictor_free", count)
    model = kedge.TransductionRegressor(**quick)
    for _ in range(3):
        model.fit(np.arange(20.0).reshape(-1, 1), np.arange(20.0))
    gc.collect()
    assert len(freed) == 2
    del model
    gc.collect()
    assert len(freed) == 3
