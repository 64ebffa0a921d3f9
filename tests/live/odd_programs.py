"""Programs that do odd things around autograd, each of which tells all it does."""

ODD = {
    "foreach operators under a mode of the program": """
        from torch.utils._python_dispatch import TorchDispatchMode
        class Passing(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))
        h = torch.randn(3, requires_grad=True).exp()
        loss = (h * h).sum()
        with Passing(), torch.no_grad():
            torch._foreach_mul_([h], 2.0)
        print(h._version)
        loss.backward()
        """,
    "a step that fails, and training that goes on": """
        w = torch.nn.Parameter(torch.randn(3))
        opt = torch.optim.SGD([w], lr=0.1)
        for value in (torch.zeros(2), None):
            (w * 2).sum().backward()
            opt.param_groups[0]["lr"] = 0.1 if value is None else "a word"
            try:
                opt.step()
            except Exception as error:
                print(type(error).__name__)
        (w.exp() * 2).sum().backward()
        bits(w, w.grad)
        """,
    "a closure": """
        w = torch.nn.Parameter(torch.randn(3))
        opt = torch.optim.LBFGS([w], max_iter=3)
        def closure():
            opt.zero_grad()
            loss = (w ** 2).sum()
            loss.backward()
            return loss
        print(opt.step(closure).item())
        bits(w)
        """,
    "an operator on functions": """
        x = torch.randn(3, requires_grad=True)
        for chosen in (True, False):
            torch.cond(torch.tensor(chosen), torch.sin, torch.exp, (x.mul(2),)).sum().backward()
            bits(x.grad)
        """,
    "hooks around a step": """
        w = torch.nn.Parameter(torch.randn(3))
        opt = torch.optim.Adam([w])
        opt.register_step_pre_hook(lambda o, a, k: print("before", w._version))
        opt.register_step_post_hook(lambda o, a, k: w.data.clamp_(-0.1, 0.1))
        w.sin().sum().backward()
        opt.step()
        bits(w)
        """,
    "an optimizer of its own": """
        class Signs(torch.optim.Optimizer):
            def __init__(self, params):
                super().__init__(params, {})
            @torch.no_grad()
            def step(self):
                for group in self.param_groups:
                    for p in group["params"]:
                        p.sub_(p.grad.sign(), alpha=0.1)
        w = torch.nn.Parameter(torch.randn(3))
        w.exp().sum().backward()
        Signs([w]).step()
        bits(w)
        print(w._version)
        """,
    "every optimizer": """
        for kind in ("SGD", "Adam", "AdamW", "Adagrad", "RMSprop", "Adadelta", "NAdam", "Rprop"):
            for foreach in (False, True):
                w = torch.nn.Parameter(torch.randn(3))
                opt = getattr(torch.optim, kind)([w], foreach=foreach)
                w.exp().sum().backward()
                opt.step()
                bits(w)
                print(kind, w._version)
        """,
    "fused": """
        w = torch.nn.Parameter(torch.randn(3))
        opt = torch.optim.AdamW([w], fused=True)
        loss = w.exp().sum()
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()
        loss.backward()
        bits(w, w.grad)
        """,
    "a scaler": """
        w = torch.nn.Parameter(torch.randn(3))
        opt, scaler = torch.optim.SGD([w], lr=0.1), torch.amp.GradScaler("cpu")
        for bad in (False, True, False):
            opt.zero_grad()
            scaler.scale((w * (float("inf") if bad else 1)).sum()).backward()
            scaler.step(opt)
            scaler.update()
            print(scaler.get_scale(), w.tolist())
        """,
    "clipping": """
        net = torch.nn.Linear(3, 3)
        net(torch.randn(2, 3)).sum().backward()
        print(torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5).item())
        bits(*(p.grad for p in net.parameters()))
        """,
    "threads": """
        import threading
        found = {}
        def work(number):
            torch.manual_seed(number)
            x = torch.full((3,), float(number), requires_grad=True)
            (x.exp() * number).sum().backward()
            found[number] = x.grad
        threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
        for one in threads: one.start()
        for one in threads: one.join()
        bits(*(found[n] for n in range(3)))
        """,
    "a fork": """
        import os
        x = torch.randn(3, requires_grad=True)
        loss = x.exp().sum()
        reading, writing = os.pipe()
        if os.fork() == 0:
            h = x.exp()
            h.add_(1)
            os.write(writing, str(h.tolist()).encode())
            os._exit(3)
        print(os.wait()[1] >> 8, os.read(reading, 1000))
        loss.backward()
        bits(x.grad)
        """,
    "sys.exit that is caught": """
        import sys
        x = torch.randn(3, requires_grad=True)
        try:
            x.exp().sum().backward()
            sys.exit(4)
        except SystemExit as stop:
            print(stop.code)
        bits(x.grad)
        """,
    "a failing custom backward": """
        class Fails(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2
            @staticmethod
            def backward(ctx, g):
                raise ValueError("no")
        x = torch.randn(3, requires_grad=True)
        try:
            Fails.apply(x).sum().backward()
        except ValueError as error:
            print(error, error.__cause__, error.__context__)
        print(x.grad)
        """,
    "an interrupt in a hook": """
        x = torch.randn(3, requires_grad=True)
        y = x.exp()
        def stop(gradient):
            raise KeyboardInterrupt
        y.register_hook(stop)
        try:
            y.sum().backward()
        except KeyboardInterrupt:
            print("stopped", x.grad)
        y.tanh().sum
        print(torch.rand(2).tolist())
        """,
    "a second backward that is caught": """
        x = torch.randn(3, requires_grad=True)
        loss = x.exp().sum()
        loss.backward()
        for _ in range(2):
            try:
                loss.backward()
            except RuntimeError as error:
                print(str(error)[:60])
        bits(x.grad)
        """,
    "a dispatch mode of its own": """
        from torch.utils._python_dispatch import TorchDispatchMode
        class Counts(TorchDispatchMode):
            names = []
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                self.names.append(str(func))
                return func(*args, **(kwargs or {}))
        x = torch.randn(3, requires_grad=True)
        with Counts():
            y = x.exp()
            y.mul_(2)
            try:
                y.sum().backward()
            except RuntimeError as error:
                print("raised", str(error)[:40])
        print(Counts.names)
        """,
    "a function mode": """
        from torch.overrides import TorchFunctionMode
        class Names(TorchFunctionMode):
            seen = []
            def __torch_function__(self, func, types, args=(), kwargs=None):
                self.seen.append(getattr(func, "__name__", "?"))
                return func(*args, **(kwargs or {}))
        x = torch.randn(3, requires_grad=True)
        with Names():
            (x.exp() + 1).sum().backward()
        print(Names.seen)
        bits(x.grad)
        """,
    "a subclass": """
        class Tagged(torch.Tensor):
            pass
        x = torch.randn(3).as_subclass(Tagged).requires_grad_()
        y = (x * 2).exp()
        print(type(y).__name__)
        y.sum().backward()
        bits(x.grad)
        """,
    "sparse gradients": """
        table = torch.nn.Embedding(5, 2, sparse=True)
        table(torch.tensor([1, 1, 3])).sum().backward()
        print(table.weight.grad.coalesce().values().tolist())
        torch.optim.SparseAdam(table.parameters()).step()
        bits(table.weight)
        """,
    "complex numbers": """
        x = torch.randn(3, dtype=torch.complex64, requires_grad=True)
        (x * x.conj()).real.sum().backward()
        print(x.grad.tolist())
        """,
    "forward mode": """
        import torch.autograd.forward_ad as fwd
        with fwd.dual_level():
            x = fwd.make_dual(torch.randn(3), torch.ones(3))
            bits(*fwd.unpack_dual(x.sin() * x))
        """,
    "jvp and hessians": """
        from torch.func import hessian, jvp
        f = lambda x: (x ** 3).sum()
        bits(*jvp(f, (torch.randn(3),), (torch.ones(3),)), hessian(f)(torch.randn(2)))
        """,
    "a jitted function": """
        net = torch.jit.trace(torch.nn.Linear(3, 2), torch.ones(1, 3))
        net(torch.randn(2, 3)).tanh().sum().backward()
        bits(*(p.grad for p in net.parameters()))
        """,
    "views, out= and resizing": """
        base = torch.zeros(4)
        part = base[:2]
        part += 1
        torch.add(base, 1, out=base)
        base.resize_(2)
        print(base._version, part._version, base.tolist(), part._base is base)
        """,
    "set_, detach_ and data": """
        x = torch.randn(3, requires_grad=True)
        h = x.exp()
        h.detach_()
        p = torch.nn.Parameter(torch.zeros(2))
        p.data = torch.ones(3)
        other = torch.zeros(1)
        other.set_(p.data)
        print(h.requires_grad, p.shape, p._version, other.data_ptr() == p.data_ptr())
        """,
    "copies and pickles": """
        import copy, io
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        twin = copy.deepcopy(net)
        stream = io.BytesIO()
        torch.save(net.state_dict(), stream)
        stream.seek(0)
        print(twin.load_state_dict(torch.load(stream)), len(stream.getvalue()))
        bits(*twin.parameters())
        """,
    "graphs that are kept": """
        x = torch.randn(3, requires_grad=True)
        loss = (x ** 3).sum()
        loss.backward(create_graph=True)
        (x.grad ** 2).sum().backward(retain_graph=True)
        bits(x.grad)
        x.grad = None
        """,
    "gradients for some inputs": """
        x, y = torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
        (x * y).sum().backward(inputs=[x])
        print(y.grad, torch.autograd.grad((x * 2).sum(), [x, y], allow_unused=True)[1])
        bits(x.grad)
        """,
    "hooks of modules": """
        net = torch.nn.Linear(2, 2)
        net.register_forward_pre_hook(lambda m, a: (a[0] * 2,))
        net.register_full_backward_hook(lambda m, gi, go: (gi[0] * 3,))
        x = torch.randn(1, 2, requires_grad=True)
        net(x).sum().backward()
        bits(x.grad)
        """,
    "random numbers in hooks": """
        x = torch.randn(3, requires_grad=True)
        y = torch.nn.functional.dropout(x.exp())
        y.register_hook(lambda g: g + torch.rand(3))
        y.sum().backward()
        bits(x.grad, torch.rand(3))
        """,
    "warnings": """
        import warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            (torch.randn(3, requires_grad=True) * 2).grad
        print([one.category.__name__ for one in caught])
        """,
    "anomaly mode": """
        x = torch.zeros(3, requires_grad=True)
        with torch.autograd.set_detect_anomaly(True):
            try:
                (x.sqrt() * 0).sum().backward()
            except RuntimeError as error:
                print(error)
        """,
    "a generator and a coroutine": """
        import asyncio
        def batches():
            with torch.no_grad():
                yield torch.randn(3)
            yield torch.randn(3)
        async def train():
            x = torch.randn(3, requires_grad=True)
            for batch in batches():
                await asyncio.sleep(0)
                with torch.enable_grad():
                    (x * batch).exp().sum().backward()
            return x.grad
        bits(asyncio.run(train()))
        print(torch.is_grad_enabled())
        """,
    "finalizers": """
        import weakref
        log = []
        x = torch.randn(3, requires_grad=True)
        def forward():
            h = x.exp()
            weakref.finalize(h, log.append, "h")
            class Mark:
                pass
            mark = h.grad_fn.metadata["mark"] = Mark()
            weakref.finalize(mark, log.append, "node")
            return h.sum()
        forward().backward()
        print(log)
        opt = torch.optim.Adam([x])
        opt.step()
        state = weakref.ref(opt.state[x]["exp_avg"])
        del opt
        import gc; gc.collect()
        print(state() is None, log)
        """,
    "parametrizations": """
        net = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(2, 2))
        with torch.nn.utils.parametrize.cached():
            (net(torch.randn(1, 2)) + net(torch.randn(1, 2))).sum().backward()
        bits(*(p.grad for p in net.parameters()))
        """,
    "selective checkpointing": """
        from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
        ops = [torch.ops.aten.mm.default]
        x = torch.randn(2, 2, requires_grad=True)
        y = checkpoint(lambda t: (t @ t).sin(), x, use_reentrant=False,
                       context_fn=lambda: create_selective_checkpoint_contexts(ops))
        y.sum().backward()
        bits(x.grad)
        """,
}

# What the tracer reads would show, or get in the way of.
WATCHFUL = {
    "a subclass that counts its functions": """
        seen = []
        class Counting(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                seen.append(getattr(func, "__name__", str(func)))
                return super().__torch_function__(func, types, args, kwargs or {})
        x = torch.ones(3).as_subclass(Counting).requires_grad_()
        y = (x * x).exp()
        y.data.mul_(2)
        y.detach().numpy()
        y.sum().backward()
        opt = torch.optim.SGD([x], lr=0.1)
        opt.step()
        opt.zero_grad()
        print(seen)
        """,
    "a subclass that raises where it is asked": """
        class Shy(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                if func == torch.Tensor.grad.__get__:
                    raise RuntimeError("not my gradient")
                return super().__torch_function__(func, types, args, kwargs or {})
        x = torch.ones(3).as_subclass(Shy).requires_grad_()
        (x * x).sum().backward()
        try:
            x.grad
        except RuntimeError as error:
            print(error)
        """,
    "per-sample gradients of expanded weights": """
        from torch.nn.utils._per_sample_grad import call_for_per_sample_grads
        net = torch.nn.Linear(3, 2)
        call_for_per_sample_grads(net, batch_size=4)(torch.randn(4, 3)).sum().backward()
        print(net.weight.grad_sample.tolist())
        """,
    "a function mode that counts": """
        from torch.overrides import TorchFunctionMode
        seen = []
        class Counting(TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                seen.append(getattr(func, "__name__", str(func)))
                return func(*args, **(kwargs or {}))
        with Counting():
            x = torch.ones(3, requires_grad=True)
            h = x.exp()
            h.data.mul_(2)
            h.sum().backward()
            opt = torch.optim.SGD([x], lr=0.1)
            opt.step()
        print(seen)
        """,
    "torch.jit.trace": """
        net = torch.nn.Sequential(
            torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.ReLU())
        x = torch.randn(2, 1, 6, 6)
        traced = torch.jit.trace(net, x)
        print(len(list(traced.inlined_graph.nodes())), "batch_norm" in str(traced.inlined_graph))
        print(torch.jit.trace_module(net, {"forward": x}).code)
        traced(x).sum().backward()
        print(net[0].weight.grad.tolist())
        """,
    "make_fx and export": """
        from torch.fx.experimental.proxy_tensor import make_fx
        net = torch.nn.Linear(3, 2)
        print(make_fx(lambda x: net(x).sin().add_(1).sum())(torch.randn(2, 3)).code)
        print(torch.export.export(net, (torch.randn(2, 3),)).graph)
        """,
}
