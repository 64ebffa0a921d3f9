"""What raises nothing and is wrong is told while the program runs; its corrected twin is quiet."""

import linecache
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from autograd_lint.live.findings import findings_of
from autograd_lint.live.program import run_script
from autograd_lint.live.source import tree_of
from autograd_lint.live.tracing import Tracer
from tests.live.pitfalls.training import START, run
from tests.live.programs import Traced

# The rule, what is wrong, and its corrected twin. `# here` marks the line to be named.
PROGRAMS: dict[str, tuple[str, str, str]] = {
    "zero_grad before step": (
        "zero-grad-before-step",
        """
        for _ in range(2):
            net(x).sum().backward()
            opt.zero_grad()  # here
            opt.step()
        """,
        """
        for _ in range(2):
            net(x).sum().backward()
            opt.step()
            opt.zero_grad()
        """,
    ),
    "step before backward": (
        "step-before-backward",
        """
        for _ in range(2):
            opt.zero_grad()
            loss = net(x).sum()
            opt.step()  # here
            loss.backward()
        """,
        """
        for _ in range(2):
            fit(net(x).sum())
        """,
    ),
    "no zero_grad": (
        "missing-zero-grad",
        """
        for _ in range(4):
            net(x).sum().backward()  # here
            opt.step()
        """,
        """
        for _ in range(4):
            net(x[:2]).sum().backward()
            net(x[2:]).sum().backward()
            opt.step()
            for p in net.parameters():
                p.grad = None
        """,
    ),
    "cleared only before a loop of steps": (
        "missing-zero-grad",
        """
        for _ in range(2):
            opt.zero_grad()
            for _ in range(4):
                net(x).sum().backward()  # here
                opt.step()
        """,
        """
        for _ in range(4):
            opt.zero_grad()
            for part in x.split(2):
                net(part).sum().backward()
            opt.step()
        """,
    ),
    "moved by hand and never cleared": (
        "missing-zero-grad",
        """
        w = torch.zeros(2, requires_grad=True)
        for _ in range(4):
            (x @ w - 1).square().mean().backward()  # here
            with torch.no_grad():
                w -= 0.1 * w.grad
        """,
        """
        w, point = torch.zeros(2, requires_grad=True), torch.ones(2, requires_grad=True)
        for step in range(4):
            (x @ w - 1).square().mean().backward()
            with torch.no_grad():
                w -= 0.1 * w.grad
            w.grad = None
            with torch.no_grad():
                point.copy_(torch.full((2,), step / 4))
            (x @ point).tanh().sum().backward()  # adds up what is read once, at the end
        print(point.grad / 4)
        """,
    ),
    "a validation with graphs": (
        "evaluation-builds-graphs",
        """
        for _ in range(3):
            fit((net.train()(x) - y).square().sum())
            net.eval()
            found = net(x)  # here
            print((found - y).square().mean().item())
        """,
        """
        for _ in range(3):
            fit((net.train()(x) - y).square().sum())
            net.eval()
            with torch.no_grad():
                print((net(x) - y).square().mean().item())
            near = x.clone().requires_grad_()
            worse = (net(near) - y).square().mean()
            print(worse.item())
            worse.backward(inputs=near)
        """,
    ),
    "actions that are chosen with graphs": (
        "evaluation-builds-graphs",
        """
        for _ in range(4):
            action = net(x).argmax().item()  # here
            fit((net(x) - y)[action].square().sum())
        """,
        """
        for _ in range(4):
            best = net(x).argmax(0)
            value = net(x).detach()
            loss = (net(x) - value - y).gather(0, best[None]).square().sum()
            print(sum(p.norm() for p in net.parameters()).item(), loss.item())
            fit(loss)
            print(loss.item())
        """,
    ),
    "a later value that is compared and gets gradients": (
        "target-learns",
        """
        for _ in range(3):
            wanted = y + 0.9 * net(x.flip(0))  # here
            fit(torch.nn.functional.smooth_l1_loss(net(x), wanted))
        """,
        """
        for _ in range(3):
            best = net(x.flip(0)).max(1)
            wanted = y + 0.9 * best.values.detach()[:, None]
            opt.zero_grad()
            smooth = torch.nn.functional.mse_loss(net(x), net(x + 0.1))
            (torch.nn.functional.smooth_l1_loss(net(x), wanted) + smooth).backward()
            opt.step()
        """,
    ),
    "an advantage that trains the critic": (
        "target-learns",
        """
        critic = torch.nn.Linear(2, 1)
        opt.add_param_group({"params": [*critic.parameters()]})
        for _ in range(3):
            value, policy = critic(x), torch.distributions.Normal(net(x), 1.0)
            loss = -(policy.log_prob(y) * (y - value)).mean()  # here
            fit(loss + (y - value).square().mean())
        """,
        """
        critic = torch.nn.Linear(2, 1)
        opt.add_param_group({"params": [*critic.parameters()]})
        for _ in range(3):
            value, policy = critic(x), torch.distributions.Normal(net(x), 1.0)
            gate = critic(x + 1).sigmoid()
            loss = -(policy.log_prob(y) * ((y - value).detach() + gate)).mean()
            fit(loss + (y - value).square().mean())
        """,
    ),
    "a prediction whose target gets gradients": (
        "target-learns",
        """
        head = torch.nn.Linear(1, 1)
        opt.add_param_group({"params": [*head.parameters()]})
        for _ in range(3):
            first, second = net(x), net(x + 0.1)
            loss = torch.nn.functional.mse_loss(head(first), second)  # here
            fit(loss)
        """,
        """
        head = torch.nn.Linear(1, 1)
        opt.add_param_group({"params": [*head.parameters()]})
        for _ in range(3):
            first, second = net(x), net(x + 0.1)
            loss = torch.nn.functional.mse_loss(head(first), second.detach())
            both = torch.nn.functional.mse_loss(first, second) - first.std() - second.std()
            fit(loss + both)
        """,
    ),
    "a copy that loads an average": (
        "target-learns",
        """
        import copy
        target = copy.deepcopy(net)
        for _ in range(4):
            wanted = target(x)  # here
            fit((net(x) - wanted).square().sum())
            state = net.state_dict()
            target.load_state_dict({k: (v + state[k]) / 2 for k, v in target.state_dict().items()})
        """,
        """
        import copy
        target = copy.deepcopy(net).requires_grad_(False)
        for _ in range(4):
            fit((net(x) - target(x)).square().sum())
            state = net.state_dict()
            target.load_state_dict({k: (v + state[k]) / 2 for k, v in target.state_dict().items()})
        """,
    ),
    "two parameters of zeros": (
        "gradient-cut",
        """
        down, up = (torch.nn.Parameter(torch.zeros(shape)) for shape in ((2, 3), (3, 1)))
        opt.add_param_group({"params": [down, up]})
        for _ in range(6):
            opt.zero_grad()
            (net(x) + x @ down @ up - y).square().sum().backward()  # here
            opt.step()
        """,
        """
        down, up = torch.nn.Parameter(torch.ones(2, 3)), torch.nn.Parameter(torch.zeros(3, 1))
        opt.add_param_group({"params": [down, up]})
        for _ in range(6):
            fit((net(x) + x @ down @ up - y).square().sum())
        """,
    ),
    "a power of zero that is no whole number": (
        "singular-at-zero",
        """
        for _ in range(2):
            opt.zero_grad()
            (net(x) - net(x)).square().sum(1).pow(0.5).sum().backward()  # here
        """,
        """
        for _ in range(2):
            opt.zero_grad()
            ((net(x) - net(x)).square().sum(1) + 1e-9).pow(0.5).sum().backward()
            (net(x) - net(x)).square().sum(1).pow(1.5).sum().backward()
        """,
    ),
    "an exponential that overflows": (
        "singular-at-zero",
        """
        for _ in range(2):
            opt.zero_grad()
            (net(x) + 100).exp().sum().backward()  # here
        """,
        """
        for _ in range(2):
            opt.zero_grad()
            (1 / (1 + (net(x) + 80).exp())).sum().backward()
        """,
    ),
    "a deviation of a single element": (
        "singular-at-zero",
        """
        for _ in range(2):
            opt.zero_grad()
            net(x[:1]).std(0).sum().backward()  # here
        """,
        """
        for _ in range(2):
            opt.zero_grad()
            net(x).std(0).sum().backward()
            net(x[:1]).var(0, correction=0).sum().backward()
        """,
    ),
    "a group of an optimizer that is computed without grad mode": (
        "gradient-cut",
        """
        head = torch.nn.Linear(1, 1)
        opt = torch.optim.SGD([{"params": net.parameters()}, {"params": head.parameters()}], lr=0.1)
        for _ in range(4):
            with torch.no_grad():
                out = net(x)  # here
            opt.zero_grad()
            (head(out) - y).square().mean().backward()
            opt.step()
        """,
        """
        head = torch.nn.Linear(1, 1)
        opt = torch.optim.SGD([{"params": net.parameters()}, {"params": head.parameters()}], lr=0.1)
        for step in range(4):
            with torch.set_grad_enabled(step > 1_000):
                out = net(x)
            fit((head(out) - y).square().mean())
        """,
    ),
    "a layer that is applied without grad mode": (
        "gradient-cut",
        """
        head = torch.nn.Linear(1, 1)
        opt.add_param_group({"params": [*head.parameters()]})
        for _ in range(3):
            out = net(x)
            with torch.no_grad():
                hint = head(out)  # here
            fit((out - y).square().mean() + (hint - y).square().mean())
        """,
        """
        head = torch.nn.Linear(1, 1)
        for _ in range(3):
            out = net(x)
            with torch.no_grad():
                hint = head(out)
            fit((out - y - hint).square().mean())
        """,
    ),
    "a loss that is computed without grad mode": (
        "constant-loss-term",
        """
        @torch.no_grad()
        def style(out):
            return (out * 2).mean()  # here
        for _ in range(3):
            out = net(x)
            fit((out - y).square().mean() + 0.1 * style(out))
        """,
        """
        @torch.no_grad()
        def weight(out):
            return (out * 2).mean()
        for _ in range(3):
            out = net(x)
            fit((out - y).square().mean() * weight(out))
        """,
    ),
    "a part of a loss whose parameters were used without grad mode": (
        "gradient-cut",
        """
        value = torch.nn.Linear(2, 1)
        opt.add_param_group({"params": value.parameters()})
        @torch.no_grad()
        def act(x):
            return net(x)  # here
        for _ in range(3):
            fit((value(x) - y).square().mean() + (act(x) - y).square().mean())
        """,
        """
        value = torch.nn.Linear(2, 1)
        opt.add_param_group({"params": value.parameters()})
        @torch.no_grad()
        def act(x):
            return net(x)
        for _ in range(3):
            wanted = act(x)
            fit((value(x) - wanted).square().mean() + net(x).square().mean())
        """,
    ),
    "a loss that is computed of a state": (
        "constant-loss-term",
        """
        for _ in range(3):
            moved = {name: one + 0.1 for name, one in net.state_dict().items()}  # here
            out = torch.func.functional_call(net, moved, (x,))
            fit((out - y).square().mean() + sum(p.sum() for p in net.parameters()))
        """,
        """
        for _ in range(3):
            moved = {name: one + 0.1 for name, one in net.named_parameters()}
            out = torch.func.functional_call(net, moved, (x,))
            fit((out - y).square().mean() + sum(p.sum() for p in net.parameters()))
        """,
    ),
    "a start that keeps its graph": (
        "target-learns",
        """
        start = torch.cat([p.flatten() for p in net.parameters()])  # here
        for _ in range(5):
            drift = torch.cat([p.flatten() for p in net.parameters()]) - start
            fit((net(x) - y).square().mean() + drift.square().sum())
        """,
        """
        start = torch.cat([p.flatten() for p in net.parameters()]).detach()
        for _ in range(5):
            drift = torch.cat([p.flatten() for p in net.parameters()]) - start
            fit((net(x) - y).square().mean() + drift.square().sum())
        """,
    ),
    "a module that is cleared and that no optimizer has": (
        "module-without-optimizer",
        """
        encoder = torch.nn.Linear(2, 2)  # here
        for _ in range(5):
            opt.zero_grad()
            encoder.zero_grad()
            (net(encoder(x)) - y).square().sum().backward()
            opt.step()
        """,
        """
        encoder, judge = torch.nn.Linear(2, 2), torch.nn.Linear(1, 1)
        for _ in range(5):
            opt.zero_grad()
            encoder.zero_grad()
            judge.zero_grad()
            judge(net(encoder(x)) - y).square().sum().backward()
            opt.step()
            with torch.no_grad():
                for p in encoder.parameters():
                    p -= 0.1 * p.grad
        """,
    ),
    "a loss that leaves gradients in the network that judges it": (
        "foreign-gradient",
        """
        judge = torch.nn.Linear(1, 1)
        judges = torch.optim.SGD(judge.parameters(), lr=0.1)
        for _ in range(4):
            (judge(net(x).detach()) - y).square().mean().backward()
            judges.step()
            judges.zero_grad()
            opt.zero_grad()
            (-judge(net(x)).mean()).backward()  # here
            opt.step()
        """,
        """
        head = torch.nn.Linear(1, 1)
        heads = torch.optim.SGD(head.parameters(), lr=0.1)
        for _ in range(4):
            (head(net(x).detach()) - y).square().mean().backward()
            heads.step()
            heads.zero_grad()
            fit((head(net(x)) - y).abs().mean())
        """,
    ),
    "a hook that bounds scaled gradients": (
        "scaled-gradients",
        """
        scaler = torch.amp.GradScaler("cpu", init_scale=64.0)
        for p in net.parameters():
            p.register_hook(lambda g: g.clamp(-1, 1))  # here
        for _ in range(2):
            opt.zero_grad()
            scaler.scale(net(x).square().sum()).backward()
            scaler.step(opt)
            scaler.update()
        """,
        """
        scaler = torch.amp.GradScaler("cpu", init_scale=64.0)
        for p in net.parameters():
            p.register_hook(lambda g: g.clamp(min=0))
        for _ in range(2):
            opt.zero_grad()
            scaler.scale(net(x).clamp(-1, 1).square().sum()).backward()
            scaler.step(opt)
            scaler.update()
        """,
    ),
    "losses that an object keeps though they are freed": (
        "graph-kept",
        """
        from collections import defaultdict
        class Meter:
            def __init__(self):
                self.values = defaultdict(list)
            def update(self, value):
                self.values["loss"].append(value)  # here
        meter = Meter()
        for _ in range(5):
            loss = (net(x) - y).square().sum()
            fit(loss)
            meter.update(loss)
        """,
        """
        losses = []
        for _ in range(5):
            opt.zero_grad()
            for part in x.split(1):
                losses.append(net(part).square().sum())
                losses[-1].backward()
            print(torch.stack(losses).mean().item())
            losses.clear()
            opt.step()
        """,
    ),
    "a module in an object that is none": (
        "unregistered-parameter",
        """
        class Branch:
            def __init__(self):
                self.layer = torch.nn.Linear(3, 1)
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.branches = torch.nn.Linear(2, 3), [Branch()]  # here
            def forward(self, x):
                return sum(one.layer(self.first(x)) for one in self.branches)
        net = Net()
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(4):
            fit(net(x).square().sum())
        """,
        """
        class Judge:
            def __init__(self):
                self.layer = torch.nn.Linear(3, 1).eval()
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.judge = torch.nn.Linear(2, 3), Judge()
            def forward(self, x):
                return self.judge.layer(self.first(x))
        net = Net()
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(4):
            fit(net(x).square().sum())
        """,
    ),
    "actions of many steps that are chosen with graphs": (
        "evaluation-builds-graphs",
        """
        def best(scores):
            return scores.argmax().item()
        for _ in range(4):
            taken = []
            for _ in range(20):
                scores = net(x)  # here
                taken.append(best(scores))
            fit(net(x)[taken].square().sum())
        """,
        """
        for _ in range(4):
            with torch.no_grad():
                taken = [net(x).argmax().item() for _ in range(20)]
            fit(net(x)[taken].square().sum())
        """,
    ),
    "a copy as a target that gets gradients": (
        "target-learns",
        """
        import copy
        target = copy.deepcopy(net)
        for _ in range(4):
            wanted = 0.9 * target(x)  # here
            fit((net(x) - wanted).square().sum())
        """,
        """
        import copy
        target, critic, body = (copy.deepcopy(net) for _ in range(3))
        head = torch.nn.Linear(1, 2)
        opt.add_param_group({"params": [*head.parameters()]})
        for _ in range(4):
            with torch.no_grad():
                wanted = 0.9 * target(x)
            opt.zero_grad()
            passed = critic(head(net(x))).square().sum() + head(body(x)).square().sum()
            (passed + (net(x) - wanted).square().sum()).backward()
            opt.step()
        """,
    ),
    "a frozen part in training mode": (
        "frozen-statistics-drift",
        """
        body = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
        body.requires_grad_(False)  # here
        for _ in range(4):
            fit(net(body(x)).sum())
        """,
        """
        body = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
        slow = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
        body.requires_grad_(False).eval()
        slow.requires_grad_(False)
        for _ in range(4):
            fit(net(body(x) + slow(x)).sum())
            for p in slow.parameters():
                p.data.mul_(0.9)
        """,
    ),
    "scaled gradients are bounded by hand": (
        "scaled-gradients",
        """
        scaler = torch.amp.GradScaler("cpu")
        for _ in range(2):
            opt.zero_grad()
            scaler.scale(net(x).sum()).backward()
            for p in net.parameters():
                p.grad.clamp_(-1, 1)  # here
            scaler.step(opt)
            scaler.update()
        """,
        """
        scaler = torch.amp.GradScaler("cpu")
        for _ in range(2):
            opt.zero_grad()
            scaler.scale(net(x).clamp(-9, 9).sum()).backward()
            scaler.unscale_(opt)
            for p in net.parameters():
                p.grad.clamp_(-1, 1)
            scaler.step(opt)
            scaler.update()
        for _ in range(2):
            opt.zero_grad()
            scaler.scale(net(x).sum()).backward()
            for p in net.parameters():
                p.grad.clamp_(-scaler.get_scale(), scaler.get_scale())
            scaler.step(opt)
            scaler.update()
        """,
    ),
    "a part of a layer that a choice by name leaves out": (
        "module-without-optimizer",
        """
        model = torch.nn.Sequential(torch.nn.LayerNorm(2), net)
        held = [p for name, p in model.named_parameters() if name != "0.weight"]
        opt = torch.optim.SGD(held, lr=0.1)  # here
        for _ in range(4):
            fit(model(x).square().sum())
        """,
        """
        model = torch.nn.Sequential(torch.nn.LayerNorm(2), net)
        held = [p for name, p in model.named_parameters() if "bias" in name or name == "1.2.weight"]
        opt = torch.optim.SGD(held, lr=0.1)
        for _ in range(4):
            model.zero_grad()
            model(x).square().sum().backward()
            opt.step()
        """,
    ),
    "a parameter of its own that no optimizer has": (
        "module-without-optimizer",
        """
        scale = torch.nn.Parameter(torch.ones(1))  # here
        for _ in range(4):
            fit((scale * net(x)).square().sum())
        """,
        """
        scale, moved = torch.nn.Parameter(torch.ones(1)), torch.nn.Parameter(torch.ones(1))
        other = torch.optim.SGD([scale], lr=0.1)
        for _ in range(4):
            opt.zero_grad()
            other.zero_grad()
            (scale * moved * net(x)).square().sum().backward()
            opt.step()
            other.step()
            moved.data -= 0.1 * moved.grad
            moved.grad = None
        """,
    ),
    "a schedule of zeros": (
        "scheduler-out-of-step",
        """
        scheduler = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: (step + 1) // 100)
        for _ in range(4):
            opt.zero_grad()
            net(x).sum().backward()
            opt.step()  # here
            scheduler.step()
        """,
        """
        scheduler = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: step / 100)
        for _ in range(4):
            fit(net(x).sum())
            scheduler.step()
        """,
    ),
    "a gradient without a graph": (
        "gradient-cut",
        """
        rule = torch.nn.Linear(1, 1)
        opt = torch.optim.SGD([*net.parameters(), *rule.parameters()], lr=0.1)
        for _ in range(3):
            w = net[2].weight
            slope, = torch.autograd.grad(rule(net(x)).square().sum(), w)  # here
            fit(((net[1](net[0](x)) @ (w - slope).T - y) ** 2).sum())
        """,
        """
        rule = torch.nn.Linear(1, 1)
        opt = torch.optim.SGD([*net.parameters(), *rule.parameters()], lr=0.1)
        for _ in range(3):
            w = net[2].weight
            slope, = torch.autograd.grad(rule(net(x)).sum(), w, create_graph=True)
            fit(((net[1](net[0](x)) @ (w - slope).T - y) ** 2).sum())
        """,
    ),
    "a rounding in an object that is gone at the end": (
        "gradient-cut",
        """
        class Coder:
            def __init__(self):
                self.a, self.b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
                held = [*self.a.parameters(), *self.b.parameters()]
                self.opt = torch.optim.SGD(held, lr=0.1)
            def fit(self, rounds):
                for _ in range(rounds):
                    self.opt.zero_grad()
                    self.b(self.a(x).round()).square().sum().backward()  # here
                    self.opt.step()
        Coder().fit(4)
        """,
        """
        class Coder:
            def __init__(self):
                self.a, self.b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
                held = [*self.a.parameters(), *self.b.parameters()]
                self.opt = torch.optim.SGD(held, lr=0.1)
            def fit(self, rounds):
                for _ in range(rounds):
                    self.opt.zero_grad()
                    h = self.a(x)
                    self.b(h + (h.round() - h).detach()).square().sum().backward()
                    self.opt.step()
        Coder().fit(4)
        """,
    ),
    "a total in an object of an object": (
        "graph-kept",
        """
        class Log:
            total = 0.0
            def add(self, loss):
                self.total += loss  # here
        class Trainer:
            def __init__(self):
                self.log = Log()
            def fit(self):
                for _ in range(4):
                    opt.zero_grad()
                    loss = net(x).square().mean()
                    loss.backward()
                    opt.step()
                    self.log.add(loss)
        Trainer().fit()
        """,
        """
        class Log:
            total = 0.0
            def add(self, loss):
                self.total += loss
        class Trainer:
            def __init__(self):
                self.log = Log()
            def fit(self):
                for _ in range(4):
                    opt.zero_grad()
                    loss = net(x).square().mean()
                    loss.backward()
                    opt.step()
                    self.log.add(loss.detach())
        Trainer().fit()
        """,
    ),
    "evaluation mode of a frozen part that is undone": (
        "frozen-statistics-drift",
        """
        body = torch.nn.BatchNorm1d(2).requires_grad_(False).eval()
        model = torch.nn.Sequential(body, net)
        model.train()  # here
        for _ in range(3):
            fit(model(x).sum())
        """,
        """
        body = torch.nn.BatchNorm1d(2).requires_grad_(False).eval()
        model, adapted = torch.nn.Sequential(body, net), torch.nn.BatchNorm1d(2)
        adapted.requires_grad_(False)
        model.train()
        body.eval()
        for _ in range(3):
            fit(model(adapted(x)).sum())
        """,
    ),
    "clipped after the step": (
        "clip-in-vain",
        """
        for _ in range(2):
            fit(net(x).sum())
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # here
        """,
        """
        for _ in range(2):
            opt.zero_grad()
            net(x).sum().backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            norm = torch.nn.utils.clip_grad_norm_(net.parameters(), float("inf"))
        """,
    ),
    "scaled gradients are clipped": (
        "scaled-gradients",
        """
        scaler = torch.amp.GradScaler("cpu")
        for _ in range(2):
            opt.zero_grad()
            scaler.scale(net(x).sum()).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # here
            scaler.step(opt)
            scaler.update()
        """,
        """
        scaler = torch.amp.GradScaler("cpu")
        for _ in range(2):
            opt.zero_grad()
            scaler.scale(net(x).sum()).backward()
            scaler.unscale_(opt)
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(opt)
            scaler.update()
        """,
    ),
    "a copy is optimized": (
        "optimizer-without-gradients",
        """
        import copy
        other = copy.deepcopy(net)
        opt = torch.optim.SGD(other.parameters(), lr=0.1)  # here
        net(x).sum().backward()
        opt.step()
        """,
        """
        net(x).sum().backward()
        opt.step()
        """,
    ),
    "detach on the only way": (
        "gradient-cut",
        """
        loss = net[2](torch.tanh(net[0](x)).detach()).sum()  # here
        loss.backward()
        opt.step()
        """,
        """
        with torch.no_grad():
            features = net[0](x)
        head = torch.optim.SGD(net[2].parameters(), lr=0.1)
        net[2](features).sum().backward()
        head.step()
        """,
    ),
    "a layer after the optimizer": (
        "optimizer-misses-parameters",
        """
        net[2] = torch.nn.Linear(3, 1)  # here
        net(x).sum().backward()
        opt.step()
        """,
        """
        body = torch.optim.SGD(net[0].parameters(), lr=0.1)
        net(x).sum().backward()
        body.step()
        """,
    ),
    "layers in a plain list": (
        "unregistered-parameter",
        """
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = [torch.nn.Linear(2, 2)]  # here
                self.out = torch.nn.Linear(2, 1)
            def forward(self, x):
                return self.out(self.layers[0](x))
        own = Net()
        opt = torch.optim.SGD(own.parameters(), lr=0.1)
        own(x).sum().backward()
        opt.step()
        """,
        """
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = torch.nn.ModuleList([torch.nn.Linear(2, 2)])
                self.order = [self.layers[0]]
                self.out = torch.nn.Linear(2, 1)
            def forward(self, x):
                return self.out(self.order[0](x))
        own = Net()
        opt = torch.optim.SGD(own.parameters(), lr=0.1)
        own(x).sum().backward()
        opt.step()
        """,
    ),
    "a loss rebuilt of a number": (
        "loss-rebuilt",
        """
        loss = torch.nn.functional.mse_loss(net(x), y)
        total = torch.tensor(loss.item(), requires_grad=True)  # here
        total.backward()
        """,
        """
        scale = torch.tensor(2.0, requires_grad=True)
        scale.backward()
        """,
    ),
    "a backward that leaves its graph": (
        "cut-in-backward",
        """
        class Swish(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * torch.sigmoid(x)

            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                s = torch.sigmoid(x).detach()  # here
                return g * (s + x * s * (1 - s))

        out = Swish.apply(net(x.requires_grad_()))
        (g,) = torch.autograd.grad(out.sum(), x, create_graph=True)
        g.norm().backward()
        """,
        """
        class Swish(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * torch.sigmoid(x)

            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                s = torch.sigmoid(x)  # saves its own result
                return g * (s + x * s * (1 - s))

        out = Swish.apply(net(x.requires_grad_()))
        (g,) = torch.autograd.grad(out.sum(), x, create_graph=True)
        g.norm().backward()
        """,
    ),
    "a penalty without its graph": (
        "penalty-without-graph",
        """
        x.requires_grad_()
        out = net(x)
        (g,) = torch.autograd.grad(out.sum(), x, retain_graph=True)  # here
        (out.sum() + (g.norm() - 1) ** 2).backward()
        """,
        """
        x.requires_grad_()
        out = net(x)
        (g,) = torch.autograd.grad(out.sum(), x, create_graph=True)
        (out.sum() + (g.norm() - 1) ** 2).backward()
        """,
    ),
    "losses that are added up": (
        "graph-kept",
        """
        total = 0
        for _ in range(4):
            opt.zero_grad()
            loss = net(x).sum()
            loss.backward()
            opt.step()
            total += loss  # here
        """,
        """
        total, losses = 0, []
        for _ in range(4):
            opt.zero_grad()
            loss = net(x).sum()
            loss.backward()
            opt.step()
            total += loss.detach()
            losses.append(loss)
            del losses[:-1]
        """,
    ),
    "a graph that is kept for nobody": (
        "needless-retain-graph",
        """
        for _ in range(3):
            opt.zero_grad()
            net(x).sum().backward(retain_graph=True)  # here
            opt.step()
        """,
        """
        for _ in range(3):
            opt.zero_grad()
            out = net(x)
            out.sum().backward(retain_graph=True)
            out.mean().backward()
            opt.step()
        """,
    ),
    "grad mode left off by a generator": (
        "grad-mode-leaks",
        """
        def batches():
            with torch.no_grad():  # here
                yield x
        for batch in batches():
            loss = net(batch).sum()
            opt.step()
        """,
        """
        def batches():
            with torch.no_grad():
                doubled = x * 2
            yield doubled
        for batch in batches():
            fit(net(batch).sum())
        """,
    ),
    "no_grad that nothing enters": (
        "grad-mode-without-effect",
        """
        def evaluate():
            torch.no_grad()  # here
            return net(x)
        evaluate()
        """,
        """
        @torch.no_grad()
        def evaluate():
            return net(x)
        evaluate()
        off = torch.no_grad()
        with torch.no_grad(): evaluate()
        """,
    ),
    "a thread is not under no_grad": (
        "grad-mode-not-inherited",
        """
        import threading
        with torch.no_grad():  # here
            thread = threading.Thread(target=lambda: net(x).sum())
            thread.start()
            thread.join()
        """,
        """
        import threading
        from concurrent.futures import ThreadPoolExecutor
        pool = ThreadPoolExecutor(1)
        with torch.no_grad():
            pool.submit(int).result()
        pool.submit(lambda: net(x).sum()).result()
        pool.shutdown()
        """,
    ),
    "a square root at zero": (
        "singular-at-zero",
        """
        z = torch.zeros(3, requires_grad=True)
        (z ** 2).sum().sqrt().backward()  # here
        """,
        """
        z = torch.zeros(3, requires_grad=True)
        ((z ** 2).sum() + 1e-8).sqrt().backward()
        z.norm().backward()
        """,
    ),
    "an exponential that overflows where it is masked": (
        "masked-singularity",
        """
        z = torch.tensor([-1.0, 500.0], requires_grad=True)
        torch.where(z <= 0, z.exp() - 1, z).sum().backward()  # here
        """,
        """
        z = torch.tensor([-1.0, 500.0], requires_grad=True)
        torch.where(z <= 0, z.clamp(max=0).exp() - 1, z).sum().backward()
        """,
    ),
    "a softmax of a row that is masked everywhere": (
        "singular-at-zero",
        """
        z, mask = torch.zeros(2, 2, requires_grad=True), torch.tensor([[True, True], [True, False]])
        z.masked_fill(mask, -math.inf).softmax(1).sum().backward()  # here
        """,
        """
        z, mask = torch.zeros(2, 2, requires_grad=True), torch.tensor([[True, True], [True, False]])
        z.masked_fill(mask, -math.inf).softmax(1).nan_to_num().sum().backward()
        z.masked_fill(mask, -1e9).softmax(1).sum().backward()
        (z * torch.tensor(math.nan)).softmax(1).sum().backward()
        with torch.no_grad():
            z.fill_(math.nan)
        z.softmax(1).sum().backward()
        """,
    ),
    "a buffer that is averaged with its graph": (
        "graph-kept",
        """
        net.register_buffer("mean", torch.zeros(1))
        for _ in range(4):
            out = net(x)
            net.mean.mul_(0.9).add_(0.1 * out.mean())  # here
            fit(out.pow(2).mean())
        """,
        """
        net.register_buffer("mean", torch.zeros(1))
        for _ in range(4):
            out = net(x)
            net.mean.mul_(0.9).add_(0.1 * out.mean().detach())
            fit(out.pow(2).mean())
        """,
    ),
    "a comparison in place": (
        "write-without-derivative",
        """
        h = net(x) * 2
        h.gt_(1.0)  # here
        h.sum().backward()
        """,
        """
        h = net(x) * 2
        (h * h.gt(1.0)).sum().backward()
        """,
    ),
    "a parameter that is frozen too late": (
        "frozen-parameter-moves",
        """
        opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        net(x).sum().backward()
        opt.step()
        net[0].weight.requires_grad_(False)  # here
        opt.step()
        """,
        """
        opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        net(x).sum().backward()
        opt.step()
        opt.zero_grad()
        net[0].weight.requires_grad_(False)
        net(x).sum().backward()
        opt.step()
        """,
    ),
    "a misspelt flag of what is gone at the end": (
        "flag-without-effect",
        """
        def train():
            head = torch.nn.Linear(1, 1)
            for p in head.parameters():
                p.require_grad = False  # here
            opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
            for _ in range(3):
                fit(head(net(x)).square().mean())

        train()
        """,
        """
        def train():
            head = torch.nn.Linear(1, 1)
            for p in head.parameters():
                p.requires_grad = False
            opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
            for _ in range(3):
                fit(head(net(x)).square().mean())

        train()
        """,
    ),
    "a misspelt flag": (
        "flag-without-effect",
        """
        for p in net.parameters():
            p.require_grad = False  # here
        """,
        """
        for p in net.parameters():
            p.requires_grad = False
        """,
    ),
    "parameter made of what was computed": (
        "gradient-cut",
        """
        w = torch.ones(3, requires_grad=True)
        p = torch.nn.Parameter(w * 2)  # here
        p.sum().backward()
        """,
        """
        w = torch.ones(3, requires_grad=True)
        p = torch.nn.Parameter(w.detach() * 2)
        w.sum().backward()
        """,
    ),
    "parameter tied by a new one": (
        "tied-parameter-copied",
        """
        one, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        other.weight = torch.nn.Parameter(one.weight)  # here
        other(one(x)).sum().backward()
        """,
        """
        one, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        other.weight = one.weight
        other(one(x)).sum().backward()
        """,
    ),
    "checkpoint without an input that requires grad": (
        "checkpoint-without-gradient",
        """
        from torch.utils.checkpoint import checkpoint
        h = checkpoint(net[0], x, use_reentrant=True)  # here
        net[2](h).sum().backward()
        """,
        """
        from torch.utils.checkpoint import checkpoint
        h = checkpoint(net[0], x, use_reentrant=False)
        net[2](h).sum().backward()
        """,
    ),
    "no gradient from a custom Function": (
        "gradient-cut",
        """
        class Product(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                return a * b
            @staticmethod
            def backward(ctx, gradient):
                return gradient * ctx.saved_tensors[1], None  # here
        a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        Product.apply(a, b).sum().backward()
        """,
        """
        class Product(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                return a * b
            @staticmethod
            def backward(ctx, gradient):
                a, b = ctx.saved_tensors
                return gradient * b, None
        a, b = torch.ones(2, requires_grad=True), torch.ones(2)
        Product.apply(a, b).sum().backward()
        """,
    ),
    "gradients of data pile up": (
        "gradients-pile-up",
        """
        for _ in range(2):
            data = x.requires_grad_()  # here
            net(data).sum().backward()
        """,
        """
        for _ in range(2):
            data = x.clone().requires_grad_()
            net(data).sum().backward()
        """,
    ),
    "another optimizer is cleared": (
        "gradients-pile-up",
        """
        head = torch.nn.Linear(1, 1)
        for _ in range(3):
            opt.zero_grad()  # here
            head(y).sum().backward()
        """,
        """
        head = torch.nn.Linear(1, 1)
        for _ in range(3):
            head.zero_grad()
            opt.zero_grad()
            head(y).sum().backward()
        """,
    ),
    "a state with all that it has been": (
        "graph-kept",
        """
        w, h = torch.ones(2, requires_grad=True), torch.zeros(2)
        for _ in range(3):
            h = h + w  # here
        """,
        """
        w, h = torch.ones(2, requires_grad=True), torch.zeros(2)
        for _ in range(3):
            h = h.detach() + w
        """,
    ),
    "a detached result that is overwritten": (
        "snapshot-overwritten",
        """
        out = net(x) * 2
        target = out.detach()
        out += 1  # here
        (out - target).sum().backward()
        """,
        """
        out = net(x) * 2
        target = out.detach().clone()
        out += 1
        (out - target).sum().backward()
        """,
    ),
    "a detached result that nobody uses again": (
        "snapshot-overwritten",
        """
        out = net(x) * 2
        target = out.detach()
        out += 1  # here
        print(target.sum())
        """,
        """
        out = net(x) * 2
        target = out.detach()
        print(target.sum())
        out += 1
        """,
    ),
    "a parameter that is used as a number": (
        "gradient-cut",
        """
        scale = torch.nn.Parameter(torch.tensor(0.07))
        opt = torch.optim.SGD([*net.parameters(), scale], lr=0.1)
        (net(x) / scale.item()).sum().backward()  # here
        opt.step()
        """,
        """
        scale = torch.nn.Parameter(torch.tensor(0.07))
        opt = torch.optim.SGD([*net.parameters(), scale], lr=0.1)
        print(scale.item())
        (net(x) * 0.07).sum().backward()
        opt.step()
        """,
    ),
    "a parameter that only a comparison uses": (
        "gradient-cut",
        """
        limit = torch.nn.Parameter(torch.zeros(2))
        opt = torch.optim.SGD([*net.parameters(), limit], lr=0.1)
        keep = (x > limit).float()  # here
        net(x * keep).sum().backward()
        opt.step()
        """,
        """
        limit = torch.nn.Parameter(torch.zeros(2))
        opt = torch.optim.SGD([*net.parameters(), limit], lr=0.1)
        keep = torch.sigmoid(x - limit)
        net(x * keep).sum().backward()
        opt.step()
        unused = torch.nn.Parameter(torch.zeros(2))
        opt = torch.optim.SGD([*net.parameters(), unused], lr=0.1)
        net(x + torch.ones_like(unused)).sum().backward()
        opt.step()
        """,
    ),
    "a weight that is wrapped anew in each iteration": (
        "gradient-cut",
        """
        mask = torch.ones(1, 3)
        for _ in range(2):
            opt.zero_grad()
            last = torch.nn.Parameter(net[2].weight * mask)  # here
            (net[1](net[0](x)) @ last.T).sum().backward()
            opt.step()
        """,
        """
        mask = torch.ones(1, 3)
        for _ in range(2):
            fit((net[1](net[0](x)) @ (net[2].weight * mask).T).sum())
        """,
    ),
    "an inner update of the data": (
        "gradient-cut",
        """
        w = torch.zeros(2, requires_grad=True)
        rate = torch.tensor(0.1, requires_grad=True)
        opt = torch.optim.SGD([w, rate], lr=0.1)
        (grad,) = torch.autograd.grad((x @ w - 1).square().sum(), w)
        fast = w.data - rate * grad  # here
        (x @ fast - 1).square().sum().backward()
        opt.step()
        """,
        """
        w = torch.zeros(2, requires_grad=True)
        rate = torch.tensor(0.1, requires_grad=True)
        opt = torch.optim.SGD([w, rate], lr=0.1)
        (grad,) = torch.autograd.grad((x @ w - 1).square().sum(), w)
        fast = w - rate * grad
        (x @ fast - 1).square().sum().backward()
        opt.step()
        """,
    ),
    "a penalty on the data": (
        "constant-loss-term",
        """
        penalty = sum(p.data.abs().sum() for p in net.parameters())  # here
        (net(x).sum() + 0.01 * penalty).backward()
        opt.step()
        """,
        """
        penalty = sum(p.abs().sum() for p in net.parameters())
        (net(x).sum() + 0.01 * penalty).backward()
        opt.step()
        """,
    ),
    "a layer behind a rounding": (
        "gradient-cut",
        """
        for _ in range(2):
            opt.zero_grad()
            codes = torch.round(net[0](x))  # here
            net[2](codes).sum().backward()
            opt.step()
        """,
        """
        for _ in range(2):
            opt.zero_grad()
            soft = net[0](x)
            codes = soft + (torch.round(soft) - soft).detach()
            net[2](codes).sum().backward()
            opt.step()
        """,
    ),
    "an attribute that is computed from a parameter": (
        "unregistered-parameter",
        """
        net.gain = torch.nn.Parameter(torch.ones(1)).to(torch.float64)  # here
        (net(x) * net.gain).sum().backward()
        opt.step()
        """,
        """
        net.gain = torch.nn.Parameter(torch.ones(1).to(torch.float64))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        (net(x) * net.gain).sum().backward()
        opt.step()
        """,
    ),
    "a start that moves with the parameters": (
        "snapshot-overwritten",
        """
        start = [p.data for p in net.parameters()]
        net(x).sum().backward()
        opt.step()  # here
        print(sum((p - s).abs().sum() for p, s in zip(net.parameters(), start)))
        """,
        """
        start = [p.data for p in net.parameters()]
        print(sum(s.abs().sum() for s in start))
        net(x).sum().backward()
        opt.step()
        print(sum(s.abs().sum() for s in start))
        """,
    ),
    "a state that moves with the module": (
        "state-overwritten",
        """
        best = net.state_dict()  # here
        net(x).sum().backward()
        opt.step()
        net.load_state_dict(best)
        """,
        """
        import copy
        best = copy.deepcopy(net.state_dict())
        net(x).sum().backward()
        opt.step()
        net.load_state_dict(best)
        net.load_state_dict(net.state_dict())
        """,
    ),
    "micro batches that are cleared": (
        "zero-grad-before-step",
        """
        for at in range(8):
            opt.zero_grad()  # here
            (net(x).sum() / 4).backward()
            if (at + 1) % 4 == 0:
                opt.step()
        """,
        """
        for at in range(8):
            (net(x).sum() / 4).backward()
            if (at + 1) % 4 == 0:
                opt.step()
                opt.zero_grad()
        """,
    ),
    "gradients that the program gathers itself": (
        "zero-grad-before-step",
        """
        for at in range(8):
            opt.zero_grad()  # here
            net(x).sum().backward()
            if at % 2:
                opt.step()
        """,
        """
        grads = [torch.zeros_like(p) for p in net.parameters()]
        for at in range(8):
            opt.zero_grad()
            net(x).sum().backward()
            grads = [g + p.grad for g, p in zip(grads, net.parameters())]
            if at % 2:
                for g, p in zip(grads, net.parameters()):
                    p.grad = g
                opt.step()
        """,
    ),
    "losses of a validation that are kept": (
        "graph-kept",
        """
        curve = []
        for _ in range(3):
            fit(net(x).sum())
            loss = (net(x) - y).square().mean()
            curve.append(loss)  # here
        """,
        """
        curve, kept = [], []
        for _ in range(3):
            fit(net(x).sum())
            loss = (net(x) - y).square().mean()
            curve.append(loss.detach())
            kept.append(loss)
            kept = kept[-1:]
        """,
    ),
    "a result that a custom Function keeps on its context": (
        "tensor-kept-on-context",
        """
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.y = x.exp()  # here
                return ctx.y

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.y

        Exp.apply(net(x)).sum().backward()
        opt.step()
        """,
        """
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.y = x.exp()
                return ctx.y

            @staticmethod
            def backward(ctx, grad):
                y = ctx.y
                del ctx.y
                return grad * y

        Exp.apply(net(x)).sum().backward()
        opt.step()
        """,
    ),
    "a result that is kept on the context in a tuple": (
        "tensor-kept-on-context",
        """
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(x):
                return x.exp()

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.cache = inputs[0].shape, output  # here

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.cache[1]

        Exp.apply(net(x)).sum().backward()
        opt.step()
        """,
        """
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(x):
                return x.exp()

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.cache = inputs[0], output.detach()

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.cache[1]

        Exp.apply(net(x)).sum().backward()
        opt.step()
        """,
    ),
    "a batch without a step leaves NaN in the gradients": (
        "missing-zero-grad",
        """
        for step in range(6):
            target = torch.full_like(y, math.inf) if step == 3 else y
            loss = (net(x) - target).square().mean()
            loss.backward()  # here
            if not torch.isfinite(loss):
                continue
            opt.step()
            opt.zero_grad()
        """,
        """
        for step in range(6):
            target = torch.full_like(y, math.inf) if step == 3 else y
            loss = (net(x) - target).square().mean()
            loss.backward()
            if torch.isfinite(loss):
                opt.step()
            opt.zero_grad()
        net = torch.nn.Linear(2, 1)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for step in range(6):
            target = torch.full_like(y, math.inf) if step == 3 else y
            loss = (net(x) - target).square().mean()
            loss.backward()
            if not torch.isfinite(loss):
                for p in net.parameters():
                    p.grad = None
                continue
            opt.step()
            opt.zero_grad()
        """,
    ),
    "a frozen part that is evaluated with all the rest": (
        "frozen-statistics-drift",
        """
        body = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
        for p in body.parameters():
            p.requires_grad = False
        model = torch.nn.Sequential(body, net)
        for epoch in range(3):
            model.train()  # here
            for _ in range(2):
                fit((model(x) - y).square().sum())
            model.eval()
            with torch.no_grad():
                model(x)
        """,
        """
        body = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
        for p in body.parameters():
            p.requires_grad = False
        model = torch.nn.Sequential(body, net)
        for epoch in range(3):
            model.train()
            body.eval()
            for _ in range(2):
                fit((model(x) - y).square().sum())
            model.eval()
            with torch.no_grad():
                model(x)
        """,
    ),
    "an entry of a state that nobody is given": (
        "parameter-rebound",
        """
        import copy
        target = copy.deepcopy(net).requires_grad_(False)
        def follow(source, follower):
            state, own = source.state_dict(), follower.state_dict()
            for name in own:
                own[name] = 0.1 * state[name] + 0.9 * own[name]  # here
        for _ in range(3):
            fit((net(x) - 0.9 * target(x)).square().sum())
            follow(net, target)
        """,
        """
        import copy
        target = copy.deepcopy(net).requires_grad_(False)
        def follow(source, follower):
            state, own = source.state_dict(), follower.state_dict()
            for name in own:
                own[name] = 0.1 * state[name] + 0.9 * own[name]
            follower.load_state_dict(own)
        def never(own):
            state = own.state_dict()
            state["0.bias"] = 0.9 * state["0.bias"]
        for _ in range(3):
            fit((net(x) - 0.9 * target(x)).square().sum())
            follow(net, target)
        """,
    ),
    "what a custom Function needs is on its class": (
        "tensor-kept-on-context",
        """
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                Square.x = x.detach()  # here
                return x * x
            @staticmethod
            def backward(ctx, grad):
                return 2 * grad * Square.x
        for _ in range(2):
            opt.zero_grad()
            Square.apply(net(Square.apply(x))).sum().backward()
            Square.apply(net[0](Square.apply(net[0](x))[:, :2])).sum().backward()
            opt.step()
        """,
        """
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                Square.x = x.detach()
                return x * x
            @staticmethod
            def backward(ctx, grad):
                return 2 * grad * Square.x
        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, scale):
                ctx.save_for_backward(scale)
                Scale.latest = x.norm()
                return x * scale
            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.saved_tensors[0], None
        for _ in range(2):
            opt.zero_grad()
            Square.apply(net(x)).sum().backward()
            scale = torch.tensor(2.0)
            Scale.apply(net(Scale.apply(x, scale)), scale).sum().backward()
            opt.step()
        """,
    ),
    "a second derivative of what forward has saved": (
        "cut-in-backward",
        """
        class Swish(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                gate = torch.sigmoid(x)
                ctx.save_for_backward(gate * (1 + x * (1 - gate)))  # here
                return x * gate
            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.saved_tensors[0]
        for _ in range(2):
            given = torch.randn(4, 2, requires_grad=True)
            score = net[2](Swish.apply(net[0](given)))
            (slope,) = torch.autograd.grad(score.sum(), given, create_graph=True)
            fit(score.mean() + slope.square().sum())
        """,
        """
        class Swish(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * torch.sigmoid(x)
            @staticmethod
            def backward(ctx, grad):
                (x,) = ctx.saved_tensors
                gate = torch.sigmoid(x)
                return grad * gate * (1 + x * (1 - gate))
        class Leaky(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                slope = torch.where(x > 0, 1.0, 0.1)
                ctx.save_for_backward(slope)
                return x * slope
            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.saved_tensors[0]
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                result = x.exp()
                ctx.save_for_backward(result)
                return result
            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.saved_tensors[0]
        class Once(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(2 * x)
                return x * x
            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.saved_tensors[0]
        for _ in range(2):
            given = torch.randn(4, 2, requires_grad=True)
            score = net[2](Exp.apply(Leaky.apply(Swish.apply(net[0](given)))))
            (slope,) = torch.autograd.grad(score.sum(), given, create_graph=True)
            opt.zero_grad()
            (score.mean() + slope.square().sum()).backward()
            Once.apply(net(x)).sum().backward()
            opt.step()
        """,
    ),
    "gradients that are paired with other parameters": (
        "foreign-gradient",
        """
        layers = [torch.nn.Linear(3, 3) for _ in range(3)]
        net = torch.nn.Sequential(*layers)
        net[0].requires_grad_(False)
        given = torch.randn(8, 3)
        for _ in range(3):
            wanted = [p for p in net.parameters() if p.requires_grad]
            slopes = torch.autograd.grad(net(given).tanh().square().sum(), wanted)
            with torch.no_grad():
                for p, slope in zip(net.parameters(), slopes):
                    p -= 0.1 * slope  # here
        """,
        """
        net = torch.nn.Sequential(*(torch.nn.Linear(3, 3) for _ in range(3)))
        net[0].requires_grad_(False)
        given, shift = torch.randn(8, 3), [torch.zeros(3, 3) for _ in range(6)]
        for _ in range(3):
            wanted = [p for p in net.parameters() if p.requires_grad]
            slopes = torch.autograd.grad(net(given).tanh().square().sum(), wanted)
            with torch.no_grad():
                for p, slope in zip(wanted, slopes):
                    p -= 0.1 * slope
        place = torch.nn.Parameter(torch.randn(3))
        speed = torch.nn.Parameter(torch.randn(3))
        for _ in range(3):
            energy = place.square().sum() + speed.square().sum()
            slopes = torch.autograd.grad(energy, [place, speed])
            moves = [0.1 * (one + 0.01) for one in slopes]
            with torch.no_grad():
                for p, move in zip([place, speed], moves):
                    p.sub_(move)
        """,
    ),
    "two parameters of one array": (
        "memory-shared",
        """
        import numpy
        start = numpy.random.default_rng(0).normal(size=(2, 2)).astype("float32")
        class Factor(torch.nn.Module):
            def __init__(self, weight):
                super().__init__()
                self.weight = torch.nn.Parameter(torch.from_numpy(weight))  # here
            def forward(self, x):
                return x @ self.weight
        reference, policy = Factor(start).requires_grad_(False), Factor(start)
        opt = torch.optim.SGD(policy.parameters(), lr=0.1)
        for _ in range(4):
            drift = (policy(x) - reference(x)).square().mean()
            fit(policy(x).tanh().sum() + drift)
        """,
        """
        import numpy
        start = numpy.random.default_rng(0).normal(size=(2, 2)).astype("float32")
        class Factor(torch.nn.Module):
            def __init__(self, weight):
                super().__init__()
                self.weight = torch.nn.Parameter(torch.tensor(weight))
            def forward(self, x):
                return x @ self.weight
        reference, policy = Factor(start).requires_grad_(False), Factor(start)
        both = torch.zeros(4, 2)
        first, second = torch.nn.Parameter(both[:2]), torch.nn.Parameter(both[2:], False)
        opt = torch.optim.SGD([*policy.parameters(), first], lr=0.1)
        for _ in range(4):
            drift = (policy(x) - reference(x)).square().mean() + (x @ (first + second)).sum()
            fit(policy(x).tanh().sum() + drift)
        """,
    ),
    "the value of a sample is a term without a gradient": (
        "sample-without-gradient",
        """
        critic = torch.nn.Linear(1, 1).requires_grad_(False)
        for _ in range(3):
            choice = torch.distributions.Normal(net(x), 0.5)
            action = choice.sample()  # here
            score = 0.1 * choice.log_prob(action).sum(-1)
            fit((score - critic(action.tanh()).squeeze(-1)).mean())
        """,
        """
        critic = torch.nn.Linear(1, 1).requires_grad_(False)
        import copy
        reference = copy.deepcopy(net).requires_grad_(False)
        for _ in range(3):
            choice = torch.distributions.Normal(net(x), 0.5)
            action = choice.rsample()
            score = 0.1 * choice.log_prob(action).sum(-1)
            fit((score - critic(action.tanh()).squeeze(-1)).mean())
            choice = torch.distributions.Normal(net(x), 0.5)
            action = choice.sample()
            score = choice.log_prob(action).sum(-1)
            gained = critic(action).squeeze(-1)
            other = torch.distributions.Normal(reference(x), 0.5).log_prob(action).sum(-1)
            ratio = other - score
            fit((-score * (gained - gained.mean()) + ratio.exp() - ratio - 1).mean())
        """,
    ),
}


# What the main file says shows only when a program is run as one.
STATEMENTS: dict[str, tuple[str, str, str]] = {
    "a method that is not called": ("missing-call", "loss.backward", "loss.backward()"),
    "a method that is not called in a loop": (
        "missing-call",
        "for _ in range(2):\n    net.eval\n    net(x).sum().backward()",
        "for _ in range(2):\n    net.eval()\n    net(x).sum().backward()",
    ),
    "a loop that never runs": ("", "", "for _ in range(0):\n    net.eval\n    net(x)"),
    "a clipped gradient that is dropped": (
        "result-dropped",
        "loss.backward()\nnet[0].weight\nw.grad.clamp(-1, 1)",
        "loss.backward()\nw.grad.clamp_(-1, 1)",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_wrong_is_told_at_its_line(name: str, tmp_path: Path) -> None:
    rule, bad, _ = PROGRAMS[name]
    lines = (START + dedent(bad)).lstrip().splitlines()
    (row,) = (number for number, line in enumerate(lines, 1) if "# here" in line)
    rules, rows = run(bad, tmp_path)
    assert row in rows
    assert rule in rules


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_corrected_twin_is_quiet(name: str, tmp_path: Path) -> None:
    assert run(PROGRAMS[name][2], tmp_path) == ([], [])


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_of_the_main_file_without_effect(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # to be put back
    rule, bad, good = STATEMENTS[name]
    start = f"{START}w = net[0].weight\nloss = net(x).sum()\n"
    assert main_file(start + bad, tmp_path) == ([rule] if rule else [])
    assert main_file(start + good, tmp_path) == []


def main_file(source: str, folder: Path) -> list[str]:
    file = folder / "main.py"
    file.write_text(source)
    tracer = Tracer(program=str(file))
    with tracer:
        assert run_script(str(file), [], tracer.note_error) == 0
        tracer.ended()
    linecache.checkcache()
    tree_of.cache_clear()
    return [one.name for one in findings_of(tracer.faults)]


def test_the_findings_of_witnesses_are_left_to_their_own_onlooker(tmp_path: Path) -> None:
    tracer = Tracer(pitfalls=False)
    with tracer:
        import torch

        w = torch.ones(1, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        (w * 2).sum().backward()
        opt.zero_grad()
        opt.step()
    tracer.ended()
    assert tracer.faults == []


def test_features_that_are_computed_without_grad_mode_are_meant_to_stay(tmp_path: Path) -> None:
    source = """
    with torch.no_grad():
        features = net(x)
    head = torch.nn.Linear(1, 1)
    for _ in range(2):
        head(features).sum().backward()
    """
    assert run(source, tmp_path) == ([], [])


def test_what_is_not_registered_is_told_where_it_is_held(tmp_path: Path) -> None:
    source = """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.others = torch.nn.Linear(2, 3), []
            self.others += [torch.nn.Linear(3, 2), torch.nn.Linear(2, 1)]
        def forward(self, x):
            return self.others[1](self.others[0](self.first(x)))
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(4):
        fit(net(x).square().sum())
    """
    traced = Traced(START + dedent(source), tmp_path, ended=True)
    (found,) = findings_of(traced.tracer.faults)
    assert found.message == "parameters in `self.others` are not registered"
    assert [one.message for one in found.related] == ["made here"]


def test_a_plain_tensor_of_a_module_is_to_be_a_parameter(tmp_path: Path) -> None:
    source = """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)
            self.scale = torch.ones(1, requires_grad=True)
        def forward(self, x):
            return self.layer(x) * self.scale
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(4):
        fit(net(x).square().sum())
    """
    traced = Traced(START + dedent(source), tmp_path, ended=True)
    (found,) = findings_of(traced.tracer.faults)
    assert found.message == "`self.scale` is not registered as a parameter"
    assert "nn.Parameter" in found.help


def test_what_a_list_keeps_is_not_given_the_name_of_the_list(tmp_path: Path) -> None:
    source = """
    losses = []
    for _ in range(5):
        loss = net(x).sum()
        fit(loss)
        losses.append(loss)
    """
    traced = Traced(START + dedent(source), tmp_path, ended=True)
    (found,) = findings_of(traced.tracer.faults)
    assert found.message == "`losses` keeps the graph of every iteration alive"
    assert found.help.startswith("store `.item()` or `.detach()` of it instead")


def test_a_function_that_trained_and_has_ended_is_told_too(tmp_path: Path) -> None:
    source = """
    def main():
        net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        net[1](net[0](x).detach()).sum().backward()
        optimizer.step()
    main()
    """
    assert run(source, tmp_path) == (["gradient-cut"], [14])


def test_a_hook_on_a_value_that_is_gone_before_backward_is_not_told(tmp_path: Path) -> None:
    source = """
    values, gradients = [], []
    def look(module, given, result):
        values.append(result.detach().clone())
        result.register_hook(gradients.append)
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(inplace=True))
    net[0].register_forward_hook(look)
    net(x).square().sum().backward()
    """
    assert run(source, tmp_path) == ([], [])
    kept = source.replace("result.detach().clone()", "result")
    assert run(kept, tmp_path) == (["observed-tensor-modified"], [17])


def test_a_term_of_slopes_that_a_comparison_selects_is_not_told(tmp_path: Path) -> None:
    source = """
    for _ in range(2):
        z = net(x)
        slope = torch.where(z >= 0, torch.ones_like(z), torch.full_like(z, 0.3))
        loss = torch.nn.functional.leaky_relu(z, 0.3).square().sum() - slope.log().sum()
        fit(loss)
    """
    assert run(source, tmp_path) == ([], [])
    counted = source.replace("slope.log().sum()", "(z >= 0).float().mean()")
    assert run(counted, tmp_path) == (["constant-loss-term"], [14])


@pytest.mark.parametrize("flag", ["new.requires_grad_()", "new.requires_grad = True"])
def test_a_leaf_that_begins_where_a_graph_is_left_is_meant(flag: str, tmp_path: Path) -> None:
    source = f"""
    given = torch.ones(4, 2, requires_grad=True)
    new = given.detach()
    {flag}
    net(new).sum().backward()
    """
    assert run(source, tmp_path) == ([], [])
    assert run(source.replace(flag, "pass"), tmp_path) == (["gradient-cut"], [12])


def test_what_a_checkpoint_computes_again_is_no_evaluation(tmp_path: Path) -> None:
    program = """
        class Block(torch.nn.Module):
            def __init__(self):
                super().__init__()
                layers = torch.nn.Linear(2, 2), torch.nn.GELU(), torch.nn.Dropout(0.3)
                self.part = torch.nn.Sequential(*layers, torch.nn.Linear(2, 2))
            def forward(self, x):
                return x + self.part(x)
        blocks = torch.nn.ModuleList([Block(), Block()])
        opt.add_param_group({"params": blocks.parameters()})
        for _ in range(30):
            out = x
            for block in blocks:
                out = torch.utils.checkpoint.checkpoint(block, out, use_reentrant=False)
            fit(net(out).sum())
    """
    assert run(program, tmp_path) == ([], [])
