"""Registries: what other modules have entered into a table is there when it is asked for."""

from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

TABLE = "MADE = {}\n\n\ndef register(thing):\n    MADE[thing.__name__] = thing\n    return thing\n"
OBJECT = """\
class Registry:
    def __init__(self):
        self._table = {}

    def register(self, name):
        def enter(thing):
            if name in self._table:
                raise KeyError(name)
            self._table[name] = thing
            return thing
        return enter

    def get(self, name):
        return self._table[name]


MODELS = Registry()
"""
BODY = """\
    y = w.exp()
    y += 1
    return y.sum()
"""
RUN = "import torch\n{imports}\n{found}(torch.ones(2, requires_grad=True)).backward()\n"


def rows(root: Path, main: str) -> list[tuple[str, int]]:
    """The files and rows of the certain faults that the run of a script shows."""
    write_tree(root, {"main.py": main})
    found = analyse(Source(str(root / "main.py"), main), Project([root]))
    places = [one.modified.place for one in found if one.modified and not one.assumptions]
    return [(Path(place.filename).name, place.row) for place in places if place is not None]


@pytest.mark.parametrize(
    "found",
    [
        "MADE['loss']",
        "MADE.get('loss')",
        "list(MADE.values())[0]",
        "[MADE[name] for name in MADE][0]",
        "(MADE['loss'] if 'loss' in MADE else None)",
    ],
)
def test_a_decorated_function_of_another_module_is_in_the_table(tmp_path: Path, found: str) -> None:
    losses = "from table import register\n\n\n@register\ndef loss(w):\n" + BODY
    write_tree(tmp_path, {"table.py": TABLE, "losses.py": losses})
    main = RUN.format(imports="import losses\nfrom table import MADE", found=found)
    assert rows(tmp_path, main) == [("losses.py", 7)]


@pytest.mark.parametrize("name", ["loss", "Loss"])
def test_objects_that_register_under_a_name_find_it(tmp_path: Path, name: str) -> None:
    losses = f"from table import MODELS\n\n\n@MODELS.register('{name}')\ndef f(w):\n" + BODY
    write_tree(tmp_path, {"table.py": OBJECT, "losses.py": losses})
    imports = "import losses\nfrom table import MODELS"
    main = RUN.format(imports=imports, found=f"MODELS.get('{name}')")
    assert rows(tmp_path, main) == [("losses.py", 7)]


@pytest.mark.parametrize("entered", ["register(loss)", "MADE['loss'] = loss"])
def test_statements_at_the_top_of_a_module_enter_things_as_well(
    tmp_path: Path, entered: str
) -> None:
    losses = f"from table import MADE, register\n\n\ndef loss(w):\n{BODY}\n{entered}\n"
    write_tree(tmp_path, {"table.py": TABLE, "losses.py": losses})
    main = RUN.format(imports="import losses\nfrom table import MADE", found="MADE['loss']")
    assert rows(tmp_path, main) == [("losses.py", 6)]


def test_packages_enter_what_their_modules_define(tmp_path: Path) -> None:
    losses = "from .table import register\n\n\n@register\ndef loss(w):\n" + BODY
    files = {"pkg/__init__.py": "from . import losses\n", "pkg/table.py": TABLE}
    write_tree(tmp_path, {**files, "pkg/losses.py": losses})
    main = RUN.format(imports="from pkg.table import MADE", found="MADE['loss']")
    assert rows(tmp_path, main) == [("losses.py", 7)]


def test_modules_that_nothing_imports_enter_nothing(tmp_path: Path) -> None:
    losses = "from table import register\n\n\n@register\ndef loss(w):\n" + BODY
    write_tree(tmp_path, {"table.py": TABLE, "losses.py": losses})
    main = RUN.format(imports="from table import MADE", found="MADE['loss']")
    assert rows(tmp_path, main) == []


def test_a_table_of_a_function_is_no_registry(tmp_path: Path) -> None:
    losses = "from table import register\n\n\n@register\ndef loss(w):\n" + BODY
    table = TABLE + "\n\ndef find(name):\n    own = {}\n    return own.get(name, abs)\n"
    write_tree(tmp_path, {"table.py": table, "losses.py": losses})
    main = RUN.format(imports="import losses\nfrom table import find", found="find('loss')")
    assert rows(tmp_path, main) == []


WRAPPED = """\
import functools


def logged(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)
    return inner
"""


def test_a_wrapped_function_is_entered_by_the_name_that_it_took_over(tmp_path: Path) -> None:
    head = "from table import register\nfrom wrapped import logged\n\n\n"
    losses = f"{head}@register\n@logged\ndef loss(w):\n{BODY}"
    write_tree(tmp_path, {"table.py": TABLE, "wrapped.py": WRAPPED, "losses.py": losses})
    main = RUN.format(imports="import losses\nfrom table import MADE", found="MADE['loss']")
    assert rows(tmp_path, main) == [("losses.py", 9)]


def test_an_object_of_a_class_from_elsewhere_is_filled_where_it_is_imported(tmp_path: Path) -> None:
    made, _, table = OBJECT.rpartition("\n\nMODELS")
    building = "from base import Registry\n\nMODELS" + table
    losses = "from building import MODELS\n\n\n@MODELS.register('mean')\ndef loss(w):\n" + BODY
    write_tree(
        tmp_path,
        {
            "table.py": made,
            "base.py": "from table import Registry\n",
            "building.py": building,
            "losses.py": losses,
        },
    )
    main = RUN.format(
        imports="import losses\nfrom building import MODELS", found="MODELS.get('mean')"
    )
    assert rows(tmp_path, main) == [("losses.py", 7)]


def test_a_table_in_the_model_of_a_library_is_filled_by_who_imports_it(tmp_path: Path) -> None:
    losses = "from timm.models import register_model\n\n\n@register_model\ndef loss(w):\n" + BODY
    write_tree(tmp_path, {"losses.py": losses})
    main = RUN.format(
        imports="import losses\nfrom timm.models import model_entrypoint",
        found="model_entrypoint('loss')",
    )
    assert rows(tmp_path, main) == [("losses.py", 7)]


@pytest.mark.parametrize(
    "before",
    ["def other(\n    x,\n):\n    return x\n\n\n", "class Other:\n    x = 1\n\n\n"],
)
def test_what_stands_below_another_definition_is_entered(tmp_path: Path, before: str) -> None:
    losses = f"from table import register\n\n\n{before}@register\ndef loss(w):\n{BODY}"
    write_tree(tmp_path, {"table.py": TABLE, "losses.py": losses})
    main = RUN.format(imports="import losses\nfrom table import MADE", found="MADE['loss']")
    assert [name for name, _ in rows(tmp_path, main)] == ["losses.py"]
