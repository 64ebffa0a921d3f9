"""What is remembered of files that have not changed."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest
from tests.fakes import write_tree

from autograd_lint.checking import cache as caching
from autograd_lint.checking.cache import Cache
from autograd_lint.checking.checked import Checked
from autograd_lint.checking.desk import Plan
from autograd_lint.checking.workers import check_files
from autograd_lint.configuration.settings import Exclude, Settings
from autograd_lint.findings import Certainty

HOME = str
LEAF = "import torch\n\nw = torch.ones(3, requires_grad=True)\nw += 1\n"


def check(root: Path, name: str = "a.py", certainty: Certainty = Certainty.LIKELY) -> Checked:
    plan = Plan(Settings(root=root, certainty=certainty), (root,))
    return next(check_files([root / name], plan, 1, root / ".cache"))


def forged(root: Path) -> bool:
    """Whether the result comes from the cache: what it remembers was made to say so."""
    return check(root).suppressed == 77


def index(root: Path) -> Path:
    """The one file in which results are remembered."""
    (found,) = (root / ".cache").glob("index-*.json")
    return found


def rewrite(root: Path, old: bytes, new: bytes) -> None:
    """Change what is remembered, and the sum that guards it."""
    _, _, body = index(root).read_bytes().partition(b"\n")
    assert old in body
    body = body.replace(old, new)
    index(root).write_bytes(b"%08x\n" % crc32(body) + body)


def forge(root: Path) -> None:
    """Make the cache say something that no analysis does."""
    rewrite(root, b'\\"suppressed\\": 0', b'\\"suppressed\\": 77')


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A file with a finding, and a module that it imports, checked and remembered."""
    root = tmp_path.resolve()
    program = "from b import x\nfrom c import d\n\nprint(x, d)\n" + LEAF
    write_tree(root, {"a.py": program, "b.py": "x = 1\n"})
    check(root)
    forge(root)
    return root


def test_an_unchanged_file_is_remembered(tree: Path) -> None:
    assert forged(tree)


def test_what_is_remembered_is_what_was_found(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": LEAF})
    first, second = check(tmp_path), check(tmp_path)
    assert first.findings
    assert first.findings == second.findings


def test_a_changed_file_is_checked_anew(tree: Path) -> None:
    write_tree(tree, {"a.py": LEAF})
    assert not forged(tree)


def test_a_change_of_an_imported_file_counts(tree: Path) -> None:
    write_tree(tree, {"b.py": "x = 22\n"})
    assert not forged(tree)


def test_an_imported_file_that_goes_counts(tree: Path) -> None:
    os.remove(tree / "b.py")
    assert not forged(tree)


@pytest.mark.parametrize(
    "name", ["c.py", "c/d.py", "c/d/__init__.py", "src/c/d.py", "b/__init__.py"]
)
def test_a_file_that_an_import_would_find_now_counts(tree: Path, name: str) -> None:
    write_tree(tree, {name: ""})
    assert not forged(tree)


def test_other_files_do_not_count(tree: Path) -> None:
    write_tree(tree, {"notes.txt": "", ".hidden/x.py": ""})
    assert forged(tree)


def test_other_settings_count(tree: Path) -> None:
    assert check(tree, certainty=Certainty.CERTAIN).suppressed == 0


@pytest.mark.parametrize("data", [b"no index", b"", b"00000000\n{}", b"\xff\n"])
def test_a_broken_index_is_passed_over_and_made_anew(tree: Path, data: bytes) -> None:
    index(tree).write_bytes(data)
    assert not forged(tree)
    assert [finding.code for finding in check(tree).findings] == ["AG101"]
    assert index(tree).read_bytes() != data


def test_one_changed_byte_makes_an_index_worthless(tree: Path) -> None:
    data = index(tree).read_bytes()
    for place in range(0, len(data), 97):
        index(tree).write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert not forged(tree)


@pytest.mark.parametrize("end", [0.1, 0.5, 0.9])
def test_a_half_written_index_is_passed_over(tree: Path, end: float) -> None:
    data = index(tree).read_bytes()
    index(tree).write_bytes(data[: int(len(data) * end)])
    assert not forged(tree)


def test_a_broken_record_is_passed_over(tree: Path) -> None:
    rewrite(tree, b'{\\"findings', b'{\\"found')
    assert [finding.code for finding in check(tree).findings] == ["AG101"]


def test_a_folder_that_cannot_be_made_is_passed_over(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": LEAF, ".cache": "a file"})
    assert check(tmp_path).findings


def test_the_folder_keeps_itself_out_of_git(tree: Path) -> None:
    assert (tree / ".cache" / ".gitignore").read_text() == "*\n"


def test_files_that_the_gate_rejects_need_no_cache(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": "import os\n"})
    check(tmp_path)
    assert not (tmp_path / ".cache").exists()


def many(root: Path, count: int = 25) -> list[Checked]:
    """The results for so many files that the cache is asked before they are read."""
    files = [root / f"{number}.py" for number in range(count)]
    return list(check_files(files, Plan(Settings(root=root), (root,)), 1, root / ".cache"))


def old(root: Path, *names: str) -> None:
    """Make files look as if they had been written an hour ago."""
    for name in names:
        os.utime(root / name, (time.time() - 3600,) * 2)


@pytest.fixture
def crowd(tmp_path: Path) -> Path:
    """25 files that were written long ago and are remembered; one has a finding, one no torch."""
    names = [f"{number}.py" for number in range(25)]
    write_tree(tmp_path, dict.fromkeys(names, "import torch\n") | {"3.py": LEAF, "4.py": "x = 1\n"})
    old(tmp_path, *names)
    many(tmp_path)
    return tmp_path


def test_files_that_look_the_same_are_not_read(
    crowd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = many(crowd)
    monkeypatch.setattr(Path, "read_bytes", refuse_python(Path.read_bytes))
    assert many(crowd) == before
    assert [len(checked.findings) for checked in before[:5]] == [0, 0, 0, 1, 0]


def refuse_python(read: Callable[[Path], bytes]) -> Callable[[Path], bytes]:
    def refuse(path: Path) -> bytes:
        assert path.suffix != ".py", "a file was read"
        return read(path)

    return refuse


def test_a_file_touched_but_not_changed_stays_remembered(crowd: Path) -> None:
    rewrite(crowd, b'\\"suppressed\\": 0', b'\\"suppressed\\": 77')
    os.utime(crowd / "3.py", (time.time() - 60,) * 2)
    assert many(crowd)[3].suppressed == 77


def test_a_change_that_keeps_time_and_size_just_after_the_check_is_seen(tmp_path: Path) -> None:
    """A file written in the second of its check may be written again with the same time."""
    write_tree(tmp_path, {f"{number}.py": LEAF for number in range(25)})
    many(tmp_path)
    state = (tmp_path / "3.py").stat()
    (tmp_path / "3.py").write_text(LEAF.replace("w += 1", "w * 1 "))
    os.utime(tmp_path / "3.py", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert many(tmp_path)[3].findings == ()


def test_a_changed_one_of_many_is_checked_anew(crowd: Path) -> None:
    write_tree(crowd, {"4.py": LEAF, "3.py": "import torch\n"})
    assert [len(checked.findings) for checked in many(crowd)[3:5]] == [0, 1]


def test_what_another_run_wrote_in_between_stays(crowd: Path) -> None:
    one, two = (Cache(crowd / ".cache", "settings") for _ in range(2))
    for cache, name in ((one, "3.py"), (two, "4.py")):
        state = (crowd / name).stat()
        assert cache.by_content(str(crowd / name), state, HOME, b"torch") is None
        cache.put(Checked(str(crowd / name)))
        cache.write()
    third = Cache(crowd / ".cache", "settings")
    for name in ("3.py", "4.py"):
        assert third.by_state(str(crowd / name), (crowd / name).stat(), HOME) is not None


def test_only_the_newest_settings_are_remembered(tree: Path) -> None:
    for number in range(12):
        plan = Plan(Settings(root=tree, exclude=(Exclude(str(number), tree),)), (tree,))
        list(check_files([tree / "a.py"], plan, 1, tree / ".cache"))
    assert len(list((tree / ".cache").glob("index-*.json"))) == 8


HELPER = "import torch\n\n\ndef scale(x):\n    s = x.std(0)\n    x /= s\n    return x\n"
CALLER = "import torch\nfrom a import scale\n\n\n{}def f(x):\n    return scale(x)\n"


def test_a_caller_that_appears_or_changes_counts(tmp_path: Path) -> None:
    root = tmp_path.resolve()

    def chances() -> list[tuple[str, bool]]:
        found = check(root, certainty=Certainty.POSSIBLE).findings
        return [(one.code, one.probability > 0.3) for one in found]

    write_tree(root, {"a.py": HELPER})
    assert chances() == [("AG103", True)]
    write_tree(root, {"deep/er/b.py": CALLER.format("@torch.no_grad()\n")})
    assert chances() == [("AG103", False)]
    trained = (
        "import torch\nfrom a import scale\n\n\ndef f(x):\n    scale(x * 2).sum().backward()\n"
    )
    write_tree(root, {"deep/er/b.py": trained})
    assert chances() == [("AG103", True)]


def test_every_file_that_the_package_reads_of_itself_counts() -> None:
    root = Path(caching.__file__).parents[1]
    found = {Path(path).relative_to(root).as_posix() for path, *_ in caching._files(str(root))}
    read = {"engine/machine.py", "operators/table.json", "evidence/kinds.toml"}
    assert read < found
    assert any(name.startswith("libraries/stubs/") for name in found)


def test_of_an_installed_package_the_list_of_its_files_counts(tmp_path: Path) -> None:
    assert caching._installed(str(tmp_path)) == []
    record = tmp_path / "autograd_lint-1.2.3.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text("autograd_lint/api.py,sha256=0,1\n")
    assert [path for path, *_ in caching._installed(str(tmp_path))] == [str(record)]
