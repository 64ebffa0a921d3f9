"""A cache that is damaged with a valid sum, or another's: the files are checked anew."""

import json
import os
import random
import stat
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from tests.fakes import write_tree

from autograd_lint.checking.cache_index import Entry, Index
from autograd_lint.checking.desk import Plan
from autograd_lint.checking.workers import check_files
from autograd_lint.configuration.settings import Settings

PROGRAM = "import torch\nw = torch.ones(3, requires_grad=True)\nw.add_(1)  # noqa: AG999\n"
OTHERS: tuple[Any, ...] = (
    None, 1, -1, 2**80, 1.5, "x", "\x00", "", [], {}, [1, None], "99999", True, "[" * 9000, "null",
)  # fmt: skip


def found(folder: Path) -> list[str]:
    """What a run with a cache finds, in files that it looks up."""
    files = sorted((folder / "code").glob("*.py"))
    results = list(check_files(files, Plan(Settings(root=folder)), 1, folder / "cache"))
    assert not [one.trouble for one in results if one.trouble]
    return sorted(finding.code for one in results for finding in one.findings)


def index_of(folder: Path) -> Path:
    return next(
        path for path in (folder / "cache").glob("index-*") if b"AG101" in path.read_bytes()
    )


def damaged(chance: random.Random, value: Any) -> Any:
    """The document with one value, at any depth, exchanged for another."""
    if isinstance(value, str) and value[:1] == "{" and chance.random() < 0.8:
        return json.dumps(damaged(chance, json.loads(value)))
    if not isinstance(value, (dict, list)) or not value or chance.random() < 0.1:
        return chance.choice(OTHERS)
    keys = list(value) if isinstance(value, dict) else range(len(value))
    key = chance.choice(keys)
    value[key] = damaged(chance, value[key])
    return value


def write(path: Path, document: Any) -> None:
    body = json.dumps(document).encode()
    path.write_bytes(b"%08x\n" % crc32(body) + body)


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_in_the_index_every_file_has_a_result(tmp_path: Path, seed: int) -> None:
    write_tree(tmp_path, {"code/a.py": PROGRAM, "code/b.py": "import a\n" + PROGRAM})
    found(tmp_path)
    path = index_of(tmp_path)
    document = json.loads(path.read_bytes().partition(b"\n")[2])
    document["files"] = damaged(random.Random(seed), document["files"])
    write(path, document)
    found(tmp_path)


@pytest.mark.parametrize("body", [b"[" * 99_999, b"5", b"[]", b'{"kind": 1}', b"\xff"])
def test_a_body_of_another_kind_is_no_index(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "index"
    path.write_bytes(b"%08x\n" % crc32(body) + body)
    assert Index.read(path, "kind").state("a.py") is None


def test_another_users_index_is_not_believed(tmp_path: Path) -> None:
    if not hasattr(os, "getuid") or os.getuid() != 0:
        pytest.skip("files can be given away by the superuser only")
    path = tmp_path / "index"
    Index("kind", [], {}).write(path, {"a.py": Entry((1, 2, 3), "", (), "")})
    assert Index.read(path, "kind").state("a.py") == (1, 2, 3)
    os.chown(path, 65534, 65534)
    assert Index.read(path, "kind").state("a.py") is None


def test_a_pipe_in_its_place_is_none(tmp_path: Path) -> None:
    path = tmp_path / "index"
    os.mkfifo(path)
    assert Index.read(path, "kind").state("a.py") is None


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    write_tree(tmp_path, {"code/a.py": PROGRAM})
    (tmp_path / "cache").write_text("a file is in the way")
    assert "AG101" in found(tmp_path)
    assert stat.S_ISREG(os.stat(tmp_path / "cache").st_mode)


def test_two_runs_at_once_leave_a_sound_index(tmp_path: Path) -> None:
    write_tree(tmp_path, {f"code/m{n}.py": PROGRAM for n in range(3)})
    expected = found(tmp_path)
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            for _ in range(4):
                found(tmp_path)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    assert found(tmp_path) == expected
    assert [path.name for path in (tmp_path / "cache").iterdir() if ".json." in path.name] == []
