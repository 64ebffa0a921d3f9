"""How new a version may be, by what a requirement says."""

import pytest

from autograd_lint.configuration.specifiers import Newest, minor, newest


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        ("==2.4.1", Newest((2, 4), exact=True)),
        ("===2.4.0+cu121", Newest((2, 4), exact=True)),
        ("2.4.*", Newest((2, 4), exact=True)),
        ("=2.4.0=py3.11_cuda12.1", Newest((2, 4), exact=True)),
        ("==2.4.0 --hash=sha256:abc", Newest((2, 4), exact=True)),
        ("~=2.4.0", Newest((2, 4))),
        ("~2.4", Newest((2, 4))),
        ("<=2.6", Newest((2, 6))),
        (">=2.1,<2.5", Newest((2, 4))),
        (">= 2.1, < 2.5", Newest((2, 4))),
        ("<2.5.0", Newest((2, 4))),
        ("<2.5.1", Newest((2, 5))),
        ("1.13 || 2.4", Newest((2, 4), exact=True)),
    ],
)
def test_a_limit_is_the_newest_version_that_it_allows(specifier: str, expected: Newest) -> None:
    assert newest(specifier) == expected


@pytest.mark.parametrize("specifier", ["<3", "^2.1", "~=2.4", "==2.*"])
def test_a_limit_of_the_first_number_allows_any_second(specifier: str) -> None:
    found = newest(specifier)
    assert found is not None
    assert found.version > (2, 100)


@pytest.mark.parametrize("specifier", ["", "*", ">=2", ">2.1", "!=2.4", "<2.5 || >=2.6"])
def test_what_allows_any_later_version_sets_no_limit(specifier: str) -> None:
    assert newest(specifier) is None


@pytest.mark.parametrize(
    ("version", "expected"),
    [("2.4.1+cu121", (2, 4)), ("==2.10.0", (2, 10)), ("2", None), ("git+https://x", None)],
)
def test_the_first_two_numbers_of_a_version(version: str, expected: tuple[int, int] | None) -> None:
    assert minor(version) == expected
