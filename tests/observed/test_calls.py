"""Calls that were seen, gathered by function."""

from autograd_lint.observed.calls import MOST_CALLS, Call, Key, Observed, merged
from autograd_lint.observed.values import Named, Plain, Tensor

KEY = Key("pkg/net.py", "f", "abc")


def call(*names: str, trained: bool = False, size: int = 2) -> Call:
    given = Tensor("float32", shape=(size,))
    return Call(Named(tuple((name, given) for name in names)), trained=trained)


def test_calls_that_are_alike_count_as_one() -> None:
    found = merged([Observed({KEY: [call("x", size=2)]}), Observed({KEY: [call("x", size=3)]})])
    (only,) = found.functions[KEY]
    assert only.times == 2
    assert only.arguments.get("x") == Tensor("float32")


def test_one_of_them_that_was_trained_is_enough() -> None:
    found = Observed()
    found.add(KEY, call("x", trained=True))
    found.add(KEY, call("x"))
    assert found.functions[KEY][0].trained


def test_that_it_was_trained_can_be_told_later() -> None:
    found = Observed()
    found.add(KEY, call("x"))
    found.add(KEY, call("y"))
    found.mark_trained(KEY, call("x"))
    assert [one.trained for one in found.functions[KEY]] == [True, False]


def test_of_calls_that_are_not_alike_the_first_are_kept() -> None:
    found = Observed()
    for number in range(2 * MOST_CALLS):
        found.add(KEY, call(*"x" * number))
    assert len(found.functions[KEY]) == MOST_CALLS
    assert found.functions[KEY][0] == call()


def test_a_call_that_raised_is_not_like_one_that_returned_none() -> None:
    found = Observed()
    found.add(KEY, Call(Named(())))
    found.add(KEY, Call(Named(()), returned=Plain("none")))
    assert len(found.functions[KEY]) == 2


def test_a_file_is_found_by_the_end_of_its_name() -> None:
    found = Observed({KEY: [call("x")]})
    assert [key for key, _ in found.of_file("/home/me/pkg/net.py")] == [KEY]
    assert [key for key, _ in found.of_file("C:\\me\\pkg\\net.py")] == [KEY]
    assert not [*found.of_file("/home/me/otherpkg/net.py")][1:]
    assert not [*found.of_file("/home/me/net.py")]
