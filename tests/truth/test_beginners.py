"""Scripts such as beginners write: each mistake is told once, at its line, with the right help."""

from pathlib import Path

import pytest

from autograd_lint.checking.pipeline import check_source
from autograd_lint.configuration.config import Settings
from autograd_lint.project.source import Source

FOLDER = Path(__file__).parents[2] / "fixtures" / "beginners"

# Code, row, and what the help has to say.
EXPECTED: dict[str, list[tuple[str, int, str]]] = {
    "s01_linreg_nozero": [("AG401", 15, "call `zero_grad()` once per step")],
    "s02_mnist_item": [("AG501", 33, "`.item()`")],
    "s03_manual_sgd": [("AG315", 19, "call `requires_grad_()` last, on the finished tensor")],
    "s04_list_modules": [("AG322", 8, "`nn.ModuleList`"), ("AG322", 11, "`nn.Parameter`")],
    "s05_rnn_hidden": [("AG202", 29, "detach `state`")],
    "s06_gan": [("AG201", 22, "`fake.detach()` in the loss of the first backward")],
    "s07_relu_inplace": [("AG103", 20, "`attention = attention * out`")],
    "s08_correct": [],
    "s09_numpy_plot": [("AG501", 15, "`loss.item()`"), ("AG304", 20, "`pred.detach().numpy()`")],
    "s10_dqn": [("AG317", 31, "`with torch.no_grad():`"), ("AG408", 33, "add `()`")],
    "s11_transfer": [
        ("AG323", 7, "tensor.requires_grad = False"),
        ("AG324", 9, "after this"),
        ("AG504", 25, "`torch.no_grad()`"),
    ],
    "s12_vae_vis": [("AG311", 17, "`rsample()`"), ("AG302", 35, "`loss.mean()`")],
    "s13_accuracy_correct_gan": [],
    "s14_amp_wrong": [
        ("AG406", 13, "after `optimizer.step()`"),
        ("AG405", 17, "`scaler.unscale_(optimizer)`"),
    ],
    "s15_clip_after": [
        ("AG329", 5, "give its parameters to an optimizer"),
        ("AG313", 12, "the loss itself"),
        ("AG404", 15, "between `backward()` and `step()`"),
    ],
}


def test_every_script_has_its_expectation() -> None:
    assert sorted(EXPECTED) == sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", EXPECTED)
def test_each_mistake_is_told_once_with_the_right_help(name: str) -> None:
    path = FOLDER / f"{name}.py"
    found = check_source(Source(str(path), path.read_text()), Settings())
    expected = EXPECTED[name]
    assert [(one.code, one.place.row) for one in found] == [told[:2] for told in expected]
    assert all(help in one.help for one, (_, _, help) in zip(found, expected, strict=True))


# What mends each of the mistakes of a script, in the order in which they are told.
MENDED: dict[str, list[list[tuple[str, str]]]] = {
    "s04_list_modules": [
        [("self.layers = []", "self.layers = nn.ModuleList()")],
        [
            (
                "self.scale = torch.ones(1, requires_grad=True)",
                "self.scale = nn.Parameter(torch.ones(1))",
            )
        ],
    ],
    "s09_numpy_plot": [
        [("losses.append(loss)", "losses.append(loss.item())")],
        [("pred.numpy()", "pred.detach().numpy()")],
    ],
    "s10_dqn": [
        [("self.policy(next_states).max(1)[0]", "self.policy(next_states).max(1)[0].detach()")],
        [("self.optimizer.zero_grad\n", "self.optimizer.zero_grad()\n")],
    ],
    "s11_transfer": [
        [("p.require_grad = False", "p.requires_grad = False")],
        [
            ("optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)\n", ""),
            (
                "model.fc = nn.Linear(512, 5)\n",
                "model.fc = nn.Linear(512, 5)\n"
                "optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)\n",
            ),
        ],
        [("    out = model(", "    with torch.no_grad():\n        out = model(")],
    ],
    "s12_vae_vis": [
        [("torch.tensor(torch.normal(mu, std))", "mu + std * torch.randn_like(std)")],
        [("loss = bce + kld", "loss = (bce + kld).mean()")],
    ],
    "s14_amp_wrong": [
        [
            ("    scheduler.step()\n", ""),
            ("    optimizer.zero_grad()", "    optimizer.zero_grad()\n    scheduler.step()"),
        ],
        [("    nn.utils.clip", "    scaler.unscale_(optimizer)\n    nn.utils.clip")],
    ],
    "s15_clip_after": [
        [
            (
                "Adam(model.parameters(), lr=1e-4)",
                "Adam([*model.parameters(), *head.parameters()], lr=1e-4)",
            )
        ],
        [(".mean().detach().requires_grad_()", ".mean()")],
        [
            ("    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)", ""),
            (
                "    opt.step()\n",
                "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n    opt.step()\n",
            ),
        ],
    ],
}
SINGLE = [(name, index) for name, edits in MENDED.items() for index in range(len(edits))]


def test_every_script_with_several_findings_is_mended() -> None:
    assert sorted(MENDED) == sorted(name for name, told in EXPECTED.items() if len(told) > 1)


@pytest.mark.parametrize(("name", "index"), SINGLE)
def test_each_finding_is_a_mistake_of_its_own(name: str, index: int) -> None:
    text = (FOLDER / f"{name}.py").read_text()
    for old, new in MENDED[name][index]:
        assert old in text
        text = text.replace(old, new)
    found = check_source(Source(f"{name}.py", text), Settings())
    codes = [code for code, _, _ in EXPECTED[name]]
    assert [one.code for one in found] == codes[:index] + codes[index + 1 :]
