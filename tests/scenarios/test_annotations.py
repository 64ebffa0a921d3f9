"""What annotations name."""

import ast

import pytest

from autograd_lint.scenarios.annotations import class_named
from autograd_lint.vm.tensor_annotations import Written, tensor_written
from tests.vm.running import kinds


def _read(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("torch.Tensor", Written.TENSOR),
        ("Float[Tensor, 'batch features']", Written.TENSOR),
        ("jaxtyping.Int[torch.Tensor, 'batch']", Written.COUNTING),
        ("torch.LongTensor", Written.COUNTING),
        ("Float[np.ndarray, 'batch']", None),
        ("tuple[()]", None),
        ("list[Tensor]", None),
        ("torch.FloatTensor", Written.TENSOR),
        ("Optional[Tensor]", Written.TENSOR),
        ("torch.LongTensor | None", Written.COUNTING),
        ("Union[None, Tensor]", Written.TENSOR),
        ("Union[Tensor, float]", None),
        ("Union[Tensor, str, None]", None),
    ],
)
def test_the_kind_of_a_tensor(text: str, kind: Written | None) -> None:
    assert tensor_written(_read(text)) is kind


@pytest.mark.parametrize("text", ["list[A]", "Callable[[A], B]", "'a b'", "A | B", "1"])
def test_what_names_no_class_of_the_argument(text: str) -> None:
    assert class_named(_read(text)) is None


FILLED = "def f(x: {}):\n    y = x.exp()\n    y += 1\n    y.sum().backward()\n"


@pytest.mark.parametrize(
    ("annotation", "found"),
    [
        ("Float[torch.Tensor, 'n']", ["saved-tensor-modified"]),
        ("torch.LongTensor", ["no-grad-root"]),
    ],
)
def test_integers_have_no_gradient(annotation: str, found: list[str]) -> None:
    assert kinds(FILLED.format(annotation)) == found
