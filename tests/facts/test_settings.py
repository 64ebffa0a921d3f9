"""What files of settings give an option."""

import pytest

from autograd_lint.facts.settings import switches_on


@pytest.mark.parametrize(
    "text",
    [
        b"with_cp: true\n",
        b"model:\n  with_cp: True  # saves memory\n",
        b'{"with_cp": true, "depth": 3}',
        b"with_cp = 1\n",
        b"Block.with_cp = True\n",
        b"python train.py --with_cp\n",
        b"python train.py --with_cp --depth 3\n",
        b"python train.py --with_cp \\\n  --depth 3\n",
        b"python train.py --with_cp=yes\n",
        b"python train.py model.with_cp=true\n",
        b"with_cp:\n  first: true\n",
    ],
)
def test_a_value_or_a_flag_switches_an_option_on(text: bytes) -> None:
    assert switches_on("with_cp", text)


@pytest.mark.parametrize(
    "text",
    [
        b"with_cp: false\n",
        b"with_cp: null\n",
        b'{"with_cp": false, "depth": 3}',
        b'{"with_cp": 0}',
        b"python train.py --with_cp False\n",
        b"python train.py model.with_cp=off\n",
        b"# with_cp saves memory\n",
        b"with_cpu: true\n",
        b"not_with_cp: true\n",
        b"python train.py --no-with_cp\n",
    ],
)
def test_what_is_off_or_another_name_does_not(text: bytes) -> None:
    assert not switches_on("with_cp", text)
