"""What to do where PyTorch refuses something or warns, by a part of what it says."""

# The first part that a message has counts: what says more stands above what says less. Parts are of
# PyTorch's own messages (2.4 to 2.14), and of what the engine says in its place.
_HELP = {
    # Leaves, flags and gradients.
    "with respect to it": "detach it first (`.detach()`)",
    "not differentiable with respect to argument": "detach this argument first (`.detach()`)",
    "single memory location": "write into a copy (`.clone()`): elements of an expanded tensor "
    "share their memory",
    "Expected primal": "use a floating point dtype, such as `dtype=torch.float32`",
    "floating point": "use a floating point dtype, such as `dtype=torch.float32`",
    "must be a bool": "assign True or False",
    "assign a gradient": "assign a gradient of the same shape, dtype and device",
    "assigned grad": "assign a tensor, or None",
    "its own grad": "assign a copy (`.detach().clone()`)",
    "Cannot set grad_dtype": "set `.grad` to None first",
    "grad_dtype can only": "ask the leaf for it, or set it there",
    "deepcopy": "copy its values with `.detach().clone()`, or copy the leaf",
    "Parameter or None": "make it an `nn.Parameter`, or `copy_` its values under `no_grad()`",
    "child module": "give it another name, or delete the module first",
    "not writable": "make another tensor (`detach()`, `to()`, `reshape()`)",
    "version counter": "make it under `no_grad()`: inference tensors count no versions",
    "'float' object": "keep the tensor: do not use `.item()` or `float()` before",
    "'int' object": "keep the tensor: do not use `.item()` or `int()` before",
    "unspecified requires_grad": "pass `requires_grad=False`",
    # Calls of backward.
    "Anomaly Detection": "switch it off when the error is found",
    "ready twice": "pass `use_reentrant=False` to checkpoints, and call a shared module once in "
    "an iteration",
    "is_grads_batched": "give each of `grad_outputs` a first dimension, for the batch",
    "grad_output and output": "pass `grad_outputs` of the dtype of the output",
    "nan values": "keep what it is given away from values at which its derivative is infinite or "
    "undefined (`clamp`, or a small constant below a root)",
    "no autograd formula": "register one (`register_autograd`)",
    "autograd kernel was not registered": "register a kernel for `Autograd`, or use "
    "`torch.library.custom_op` and `register_autograd`",
    "finished reduction": "use them in the loss, remove them from the module, or pass "
    "`find_unused_parameters=True`",
    # Steps.
    "unscale_() has already": "call `scaler.update()` in every iteration, also in skipped ones",
    "No inf checks": "call `scaler.scale(loss).backward()` before the step: no parameter of the "
    "optimizer has a gradient",
    "update()": "call `scaler.update()` in every iteration, also in skipped ones",
    "non-finite": "find what makes a gradient infinite or NaN, or pass `error_if_nonfinite=False`",
    "a real number, not 'NoneType'": "return the loss from the closure",
    "closure": "pass `step` a closure that computes the loss, calls `backward()` and returns it",
    "parameter groups": "pass all parameters in one list",
    "has no attribute 'zero_'": "clear gradients with `zero_grad()` of the optimizer, or check "
    "`if p.grad is not None`",
    "NoneType": "call backward before, on what is computed from this leaf, or check `if p.grad is "
    "not None`",
    # Checkpoints.
    "incompatible with .grad()": "pass `use_reentrant=False` to `checkpoint`",
    "use_reentrant": "pass `use_reentrant=False` to `checkpoint`",
    "Unexpected keyword arguments": "pass `use_reentrant=False` to `checkpoint`, which hands "
    "keyword arguments on",
    "saved during the original": "let the function do the same when it is run again: what it reads"
    " must not change in between",
    "different metadata": "let the function do the same when it is run again: what it reads must "
    "not change in between",
    # Hooks.
    "hooks have already been set": "register one pair of hooks for a saved tensor",
    "with value None": "leave out what the node has not saved",
    "unpack": "return the tensor that `pack_hook` received, or an equivalent one",
    "pack hook": "return a new tensor (`t * 2` for `t.mul_(2)`)",
    "has changed the": "return a gradient of the same shape, dtype and device",
    "hook is firing": "give the module an input that requires grad, or register the hook on its"
    " result (`register_hook`)",
    "regular backward hooks": "register all of them with `register_full_backward_hook`",
    "non-full backward hook": "register it with `register_full_backward_hook`",
    "module output should be": "return a tensor or a tuple of tensors from `forward`",
    "hook returned": "return a tuple with one gradient or None for each one it receives",
    # Derivatives of functions.
    "float64)\nanalytical": "correct the formula: the one of `backward` is not the derivative of "
    "`forward`",
    "gradcheck": "give it tensors of `dtype=torch.double` that require grad",
    "Jacobian mismatch": "give it tensors of `dtype=torch.double`; if they differ with these, too, "
    "the formula is wrong",
    "randomness": "pass `randomness='different'` or `'same'`",
    "vmap: inplace": "use the operator that is not in place, or make what is written to from what "
    "is batched (`x.new_zeros(...)`)",
    "vmap": "write it for the whole batch at once, as with `torch.where`",
    "no level exists": "do it under `with torch.autograd.forward_ad.dual_level():`",
    "Nested forward": "leave the level around it first, or nest `torch.func.jvp`",
    "different size than": "give a tangent of the shape of the tensor",
    "use forward AD": "use backward mode for this operator (`torch.func.vjp`, `jacrev`)",
    # Data, and code of the program's own.
    "worker": "give the data set tensors that do not require grad (`detach()`)",
    "serialize": "detach it first (`.detach()`)",
    "custom operator": "return a copy (`.clone()`)",
    # What is left needs a leaf, or no graph.
    "leaf": "detach it first (`.detach()`), or do this to the leaf",
    "require": "detach it first (`.detach()`)",
}


def advice(said: str) -> str:
    """What to do where PyTorch says this; empty where nothing is known that helps."""
    return next((help for part, help in _HELP.items() if part in said), "")
