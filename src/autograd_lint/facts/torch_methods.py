"""The methods of torch's modules and optimizers, by name."""

from __future__ import annotations

OF_MODULES = frozenset(
    {
        *("register_buffer", "register_parameter", "register_module", "add_module"),
        *("register_forward_hook", "register_forward_pre_hook", "register_backward_hook"),
        *("register_full_backward_hook", "register_full_backward_pre_hook"),
        *("__setattr__", "__delattr__", "__init__", "__getattr__", "__call__", "forward"),
        *("parameters", "named_parameters", "children", "named_children", "modules"),
        *("named_modules", "keys", "values", "items"),
        *("train", "eval", "requires_grad_", "zero_grad"),
        *("get_submodule", "get_parameter", "get_buffer"),
        *("append", "extend", "insert", "update", "__add__", "__iadd__"),
        *("apply", "load_state_dict", "state_dict"),
        *("to", "cuda", "cpu", "float", "double", "half", "bfloat16", "type", "share_memory"),
    }
)
OF_OPTIMIZERS = frozenset({"__init__", "step", "zero_grad", "add_param_group"})
