"""Patterns of .gitignore with many stars: they mean what git means, and take no time."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from autograd_lint.configuration import globs

HARD = [
    "*a*b*c.py", "!*a*b*c.py", "a*/b*/c*.py", "**/a*b*/x", "a/**/b*c*", "*[ab]*?*.py", "/a*b*c*",
    "*a*b*/", "a***b", "*.*.*.py", r"\*a*b*c", "*[!a]*b*",
]  # fmt: skip


@pytest.mark.parametrize("pattern", ["*a" * 60, "*a" * 60 + "/", "**/a/" * 3 + "*a*a*b"])
def test_many_stars_take_no_time(pattern: str) -> None:
    spec = globs.compiled([pattern])
    assert not spec.match_file("a" * 200 + "b")
    assert not spec.match_file("/".join("a" * 60) + "/x")


def test_the_last_pattern_that_matches_decides() -> None:
    spec = globs.compiled(["*.py", "!*k*e*p*t*.py"])
    assert [spec.match_file(name) for name in ("gone.py", "kept.py")] == [True, False]


def test_folders_of_any_depth_in_unlimited_number_are_no_pattern() -> None:
    with pytest.raises(ValueError, match="too many"):
        globs.compiled(["**/a/" * 30 + "b"])


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_they_mean_what_git_means(tmp_path: Path) -> None:
    chance = random.Random(7)
    names = {
        "".join(chance.choice("abcx./") for _ in range(chance.randint(1, 9))) for _ in range(300)
    }
    names |= {
        "xaxbxc.py",
        "a1/b2/c3.py",
        "q/a1b/x",
        "a/q/r/bcc",
        "zaqb.py",
        "axbxc",
        "*abc",
        "xaxb/y",
    }
    names = {name.strip("/") for name in names if "//" not in name and "/." not in name}
    names = {name for name in names if name.strip(".") and not name.startswith(".")}
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for pattern in HARD:
        (tmp_path / ".gitignore").write_text(pattern + "\n")
        command = ["git", "-C", tmp_path, "check-ignore", "--no-index", "--stdin"]
        asked = "\n".join(sorted(names))
        told = subprocess.run(command, input=asked, capture_output=True, text=True)
        spec = globs.compiled([pattern])
        ours = {name for name in names if spec.match_file(name)}
        assert ours == set(told.stdout.splitlines()), pattern
