"""What messages of autograd are about: their texts, what they mean, what usually leads to them.

The texts are those of torch 1.8 to 2.15. A pattern is a piece of a message that stays the same over
releases; what stands in a group of it is what the message names. The usual causes are in the order
in which public bug fixes and questions show them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from autograd_lint.engine.faults import FaultKind

_K = FaultKind
_NODE = r"(?P<node>(?:torch::autograd::)?\w+)"


_MOST = 200_000  # characters of a text that are searched


@dataclass(frozen=True)
class Topic:
    """A class of messages.

    `patterns` are regular expressions for a text on one line. `error` is what the rules predict of
    it, `codes` the rules whose findings explain it. `said` says in one sentence
    what the message means, `causes` what usually leads to it. `suspects` is a regular expression
    for the code of a statement that can be to blame. `earlier` says that the blame lies with
    something before the line that raises.
    """

    name: str
    patterns: tuple[str, ...]
    error: FaultKind
    codes: tuple[str, ...]
    said: str
    causes: tuple[str, ...]
    suspects: str = ""
    earlier: bool = False

    @cached_property
    def compiled(self) -> tuple[re.Pattern[str], ...]:
        """The patterns, ready to be searched for."""
        return tuple(re.compile(one) for one in self.patterns)

    def search(self, text: str) -> re.Match[str] | None:
        """Where a text speaks of it, if it does."""
        found = (pattern.search(text) for pattern in self.compiled)
        return next((match for match in found if match is not None), None)


# Code that writes a tensor in place.
_WRITES = (
    r"(?<![=!<>])[-+*/@%&|^]=|\.(?!requires_grad_|__)[a-z]\w*_\(|\][^=<>!]*(?<![=!<>])=(?!=)"
    r"|inplace\s*=\s*True|\bout\s*=|\.step\(|(?<![\w.])(?:init\.)\w+_\("
)
_BACKWARD = r"\bbackward\(|\bgrad\(|\.manual_backward\("
_CALLBACK = r"class \w+|def (?:forward|backward|setup_context|vjp|jvp)\b|save_for_backward|return\b"

TOPICS: tuple[Topic, ...] = (
    Topic(
        "saved-tensor-modified",
        (
            r"has been modified by an inplace operation(?:: \[(?P<type>torch\.[\w.]+|\w+Type)"
            r" ?\[?(?P<shape>[\d, ]*)\]?\])?,?"
            rf"(?: which is output (?P<output>\d+) of {_NODE},?)?"
            r"(?: is at version (?P<version>\d+); expected version (?P<expected>\d+))?",
            r"needed for gradient computation (?:has|have) been modified",
            r"Tensor cached during selective activation checkpoint has been mutated",
        ),
        _K.SAVED_TENSOR_MODIFIED,
        ("AG103", "AG105", "AG106", "AG110", "AG114", "AG307"),
        "a tensor was written in place after an operator had saved it for backward",
        (
            "the result of an operator that saves its result (`relu`, `sigmoid`, `exp`, `softmax`)"
            " is changed by `+=`, `*=`, an index assignment or `inplace=True`",
            "`optimizer.step()` runs between a forward and a later backward through the same"
            " weights (GAN, actor and critic, hidden state with `retain_graph=True`)",
            "a slice or view of a tensor is written in a loop that reads another slice of it",
            "`.detach()`, `.cpu()` or an argument is taken for a copy and written",
            "an index, a mask or a target is written after it was used",
        ),
        _WRITES,
        earlier=True,
    ),
    Topic(
        "saved-tensor-detached",
        (r"saved tensor that has been detached in-?place",),
        _K.SAVED_TENSOR_MODIFIED,
        ("AG103",),
        "a tensor that backward needs was detached in place (`detach_()`) after it was saved",
        ("`hidden.detach_()` after the forward of the same graph: use `hidden = hidden.detach()`",),
        r"\.detach_\(|zero_grad\(",
        earlier=True,
    ),
    Topic(
        "view-of-leaf-modified",
        (
            r"a view of a leaf Variable that requires grad (?:is being|has been) used"
            r" in an in-?place",
        ),
        _K.LEAF_VIEW_MODIFIED,
        ("AG102", "AG101"),
        "a part (a view) of a leaf that requires grad is written in place while gradients are"
        " recorded",
        (
            "a row or slice of a parameter is assigned or added to: do it under `torch.no_grad()`",
            "a tensor made with `requires_grad=True` is filled by index: fill it first, then ask"
            " for gradients",
        ),
        _WRITES,
    ),
    Topic(
        "leaf-modified",
        (
            r"a leaf Variable that requires grad (?:is being|has been) used in an in-?place",
            r"leaf variable has been moved into the graph interior",
        ),
        _K.LEAF_MODIFIED,
        ("AG101", "AG102", "AG601"),
        "a leaf that requires grad (a parameter, an input) is written in place while gradients are"
        " recorded",
        (
            "a hand-made update `w -= lr * w.grad` outside of `torch.no_grad()`",
            "parameters are set or clamped in place outside of `torch.no_grad()`",
            "an argument that requires grad is written by the function that is given it",
            "`x.float()`, `.to(...)`, `.contiguous()` return the leaf itself where nothing is to"
            " be done",
        ),
        _WRITES,
    ),
    Topic(
        "view-in-no-grad",
        (
            r"A view was created in (?:no_grad|inference) mode",
            r"is a view of a view which was created in (?:no_grad|inference) mode",
        ),
        _K.VIEW_MODIFIED,
        ("AG104", "AG102"),
        "a view that was made under `no_grad()` or `inference_mode()` is written where gradients"
        " are recorded",
        (
            "a view is made in a function under `no_grad()` and written by its caller",
            "one of the results of `chunk`, `split` or `unbind` of a plain tensor is given a value"
            " that requires grad",
        ),
        _WRITES,
    ),
    Topic(
        "view-from-function",
        (
            rf"[Oo]utput (?P<output>\d+) of {_NODE} is a view and is being modified in-?place\.?"
            r" This view was created inside a custom Function",
        ),
        _K.VIEW_MODIFIED,
        ("AG104", "AG601"),
        "what a custom Function (or a full backward hook) gave back as a view is written in place",
        (
            "a layer with `inplace=True` follows a module with a full backward hook",
            "the `forward` of a custom Function returns its input or a view of it",
        ),
        _WRITES + r"|register_full_backward",
    ),
    Topic(
        "view-modified",
        (
            rf"[Oo]utput (?P<output>\d+) of {_NODE} is a view and (?:is being|its base or another"
            r" view of its base has been) modified in-?place",
            r"is a view and its base or another view of its base has been modified",
            r"output of a function that returns multiple views",
        ),
        _K.VIEW_MODIFIED,
        ("AG104",),
        "one of several views that an operator gave back at once (`chunk`, `split`, `unbind`,"
        " iteration) is written in place",
        (
            "`a, b = x.chunk(2); a += 1`: write `a = a + 1`, or take the parts by index",
            "`for row in x: row *= 2`: iterating gives views that cannot be written",
            "the output of a module of several outputs is written (`DDP`, a custom Function)",
        ),
        _WRITES,
    ),
    Topic(
        "detach-of-view",
        (r"Can't detach views in-?place",),
        _K.VIEW_MODIFIED,
        ("AG104",),
        "`detach_()` is called on a view",
        (
            "`x[...].detach_()`: use `detach()`",
            "`zero_grad(set_to_none=False)` with DDP's `gradient_as_bucket_view=True`",
        ),
        r"detach_\(|zero_grad\(|gradient_as_bucket_view",
        earlier=True,
    ),
    Topic(
        "hook-after-free",
        (r"Calling register_hooks on a saved tensor after it has been freed",),
        _K.GRAPH_FREED,
        ("AG201", "AG310"),
        "hooks are put on a saved tensor whose graph was freed",
        ("put the hooks on before backward",),
        r"register_hooks\(|" + _BACKWARD,
    ),
    Topic(
        "graph-freed",
        (
            r"[Tt]rying to backward through the graph a second time",
            r"(?:saved )?(?:intermediate (?:results|values)|buffers|saved tensors|saved variables)"
            r" (?:of the graph )?(?:have|are) (?:already been )?freed",
            r"access saved (?:tensors|variables) after they have already been freed",
            r"tensor that was already unpacked once",
        ),
        _K.GRAPH_FREED,
        ("AG201", "AG202", "AG501", "AG310"),
        "backward walks through a graph whose saved tensors an earlier backward has freed",
        (
            "a hidden state, memory or running average carries its graph into the next iteration:"
            " `detach()` it",
            "a part of the graph is built once, outside of the loop that runs backward in"
            " every iteration",
            "two losses share a part of the graph and each has a backward of its own: add them up",
            "a loss is summed over iterations, and backward is called in each of them",
        ),
        _BACKWARD + r"|self\.\w+\s*=(?!=)|retain_graph",
        earlier=True,
    ),
    Topic(
        "number-without-backward",
        (
            r"'(?P<subject>float|int|NoneType|numpy\.\w+|ndarray)' object has no"
            r" attribute 'backward'",
        ),
        _K.NO_GRAD_ROOT,
        ("AG301", "AG311", "AG313"),
        "backward is called on a plain number (or None), not on a tensor",
        (
            "`.item()` or `float(...)` on the way to the loss",
            "a sum that begins as `0` and never gets a term, since its loop runs over nothing",
            "a function that gives back `0.0` in the place of a loss, or forgets to return it",
        ),
        r"\.item\(|float\(|loss\s*=|return\b|" + _BACKWARD,
        earlier=True,
    ),
    Topic(
        "checkpoint-not-necessary",
        (r"none of output has requires_grad=True",),
        _K.NO_GRAD_ROOT,
        ("AG318", "AG310", "AG301"),
        "nothing that a checkpoint returns requires grad when backward reaches it",
        ("the checkpointed function detaches, or all in it is frozen",),
        r"checkpoint\(|detach\(|no_grad",
    ),
    Topic(
        "no-grad-root",
        (
            r"element (?P<index>\d+) of (?:tensors|variables) does not require grad",
            r"does not require grad and does not have a grad_fn",
        ),
        _K.NO_GRAD_ROOT,
        ("AG301", "AG311", "AG313", "AG321", "AG332", "AG318", "AG314", "AG316", "AG307"),
        "backward is called on a tensor that no graph leads from",
        (
            "the loss was rebuilt from plain numbers: `torch.tensor(...)`, `.item()`, `.detach()`,"
            " `.data`, NumPy",
            "the forward ran under `torch.no_grad()`, `inference_mode()` or after"
            " `set_grad_enabled(False)`",
            "the loss comes from something without a gradient: `argmax`, a comparison, an integer"
            " cast",
            "all parameters are frozen, or the parameter was bound anew to a plain tensor",
            "gradient checkpointing (reentrant) whose inputs do not require grad",
        ),
        r"\.item\(|\.detach\(|\.data\b|torch\.tensor\(|no_grad|inference_mode|argmax|numpy\(|"
        r"\.(?:long|int|bool)\(|requires_grad|set_grad_enabled|" + _BACKWARD,
        earlier=True,
    ),
    Topic(
        "non-scalar-root",
        (
            r"grad can be implicitly created only for (?:real )?scalar outputs",
            r"Mismatch in shape: grad_output\[(?P<index>\d+)\]",
            r"grad can be implicitly computed only for",
            r"gradients? tensor .{0,200} must (?:be|have) the same (?:shape|size)",
            r"For complex Tensors, both grad_output",
        ),
        _K.NON_SCALAR_ROOT,
        ("AG302", "AG310"),
        "backward is called on several numbers at once without (or with the wrong) gradient for"
        " them",
        (
            "a loss with `reduction='none'`, or one per GPU (`DataParallel`): take its `mean()`",
            "`grad(y, x)` of a batch: pass `grad_outputs=torch.ones_like(y)`",
        ),
        _BACKWARD + r"|reduction\s*=\s*.none|reduce\s*=\s*False|\bloss\w*\s*=(?!=)|_loss\s*=(?!=)",
    ),
    Topic(
        "unused-input",
        (
            r"differentiated Tensors? (?:at index (?P<index>\d+) )?appears? to not have been used",
            r"of the differentiated Tensors does not require grad",
            r"One of the differentiated Tensors given as 'inputs' to backward is not a leaf",
        ),
        _K.UNUSED_INPUT,
        ("AG305", "AG319", "AG316", "AG311", "AG308"),
        "a gradient is asked for with respect to a tensor that the result does not depend on",
        (
            "the tensor was replaced (`x = x.to(...)`, a copy, a view of it) before it was used",
            "the model was copied, or only a part of its parameters is used",
            "some of the parameters are frozen: leave them out of the list",
            "a second derivative without `create_graph=True` in the first",
        ),
        r"\bgrad\(|inputs\s*=|deepcopy|requires_grad|create_graph",
        earlier=True,
    ),
    Topic(
        "non-leaf-optimizer",
        (r"can't optimize a non-leaf (?:Tensor|Variable)",),
        _K.NON_LEAF_OPTIMIZER,
        ("AG303",),
        "an optimizer is given a tensor that was computed, which is not a leaf",
        (
            "`torch.randn(..., requires_grad=True).cuda()` or `* 0.01`: what follows makes it a"
            " result; ask for gradients last (`requires_grad_()`)",
        ),
        r"optim\w*\.\w+\(|\bAdam|\bSGD|LBFGS|requires_grad",
        earlier=True,
    ),
    Topic(
        "numpy-on-grad",
        (r"Can't call numpy\(\) on (?:Tensor|Variable) that requires grad",),
        _K.NUMPY_ON_GRAD,
        ("AG304", "AG310"),
        "a tensor that requires grad is handed to NumPy",
        (
            "`.numpy()` for a plot, a metric or a file: `.detach().cpu().numpy()`",
            "`np.something(tensor)`, `np.array([...tensors])`, `plt.plot(tensor)` convert without"
            " a word",
        ),
        r"\.numpy\(|\bnp\.|\bnumpy\.|\bplt\.|__array__|cv2\.|sklearn|scipy|PIL|imshow|plot\(",
    ),
    Topic(
        "inference-tensor",
        (
            r"[Ii]nference tensors? cannot be saved for backward",
            r"[Ii]nplace update to (?:an )?inference tensor",
            r"[Ii]nference tensors? do(?:es)? not track version counter",
            r"on inference tensors? outside InferenceMode",
            r"[Ii]nference tensors?\b",
            r"does not have a version counter",
        ),
        _K.INFERENCE_TENSOR,
        ("AG307",),
        "a tensor made under `inference_mode()` is used where gradients are recorded",
        (
            "a teacher or encoder runs under `inference_mode()` and its result goes into a loss:"
            " use `no_grad()`, or `clone()` it outside",
            "a cache or buffer was filled during an evaluation under `inference_mode()`",
        ),
        r"inference_mode|[a-z]_\(|[-+*/]=|requires_grad",
        earlier=True,
    ),
    Topic(
        "non-leaf-flag",
        (r"you can only change requires_grad flags of leaf variables",),
        _K.NON_LEAF_FLAG,
        ("AG306",),
        "`requires_grad` is changed on a computed tensor",
        (
            "`y.requires_grad = False` to stop the gradient: use `y = y.detach()`",
            "a part of a parameter is to be frozen: a view cannot be",
        ),
        r"requires_grad",
    ),
    Topic(
        "retain-grad",
        (r"can't retain_grad on Tensor that has requires_grad=False",),
        _K.RETAIN_GRAD,
        ("AG308",),
        "`retain_grad()` is called on a tensor that does not require grad",
        ("the forward ran under `no_grad()`, or with frozen parameters and plain inputs",),
        r"retain_grad\(|no_grad|inputs\s*=",
    ),
    Topic(
        "hook-on-plain-tensor",
        (r"cannot register a hook on a tensor that doesn't require gradient",),
        _K.OTHER,
        ("AG310",),
        "a hook is put on a tensor that gets no gradient",
        ("the forward runs under `no_grad()`, or all that leads to the tensor is frozen",),
        r"register_hook\(|register_post_accumulate",
    ),
    Topic(
        "wrong-number-of-gradients",
        (
            r"function (?P<node>\w+) returned an incorrect number of gradients"
            r" \(expected (?P<expected>\d+), got (?P<version>\d+)\)",
        ),
        _K.CUSTOM_FUNCTION,
        ("AG601",),
        "the `backward` of a custom Function returns more or fewer gradients than its `forward` has"
        " inputs",
        ("return one gradient for each argument of `forward` after `ctx`, None for what has none",),
        r"def backward\b|return\b",
        earlier=True,
    ),
    Topic(
        "custom-function",
        (
            r"[Ff]unction (?P<node>\w+) returned an invalid gradient at index (?P<index>\d+)",
            r"[Ff]unction (?P<node>\w+) returned a gradient different than None at position"
            r" (?P<index>\d+)",
            r"You must implement (?:either )?the (?P<subject>\w+)",
            r"(?P<subject>save_for_backward) can only save",
            r"differentiate twice a function that was marked with"
            r" @(?P<subject>once_differentiable)",
            r"(?P<subject>mark_dirty|mark_non_differentiable)",
            r"marked as (?P<subject>dirty) during the forward method",
            r"[Ll]egacy autograd function with non-static (?P<subject>forward)",
            r"autograd function with non-static (?P<subject>forward)",
            r"Methods on autograd functions are all static",
            r"Implementing both '(?P<subject>backward)' and 'vjp'",
            r"(?P<subject>saved_tensors) can only be accessed once",
            r"modifies in-?place an input that is a view",
            r"returned as-is as output is being (?P<subject>save)d",
            r"expected Variable or None|expected Tensor or tuple of Tensor",
            r"jvp returned (?:a gradient|an invalid number)",
            r"Function's (?P<subject>jvp) ",
            r"In order to use an autograd\.Function with functorch",
            r"it does not have (?P<subject>vmap) support",
            r"[Cc]ustom (?:autograd\.)?Function",
            r"(?P<node>\w+Backward)' object has no attribute",
            r"(?P<node>\w+)\.(?P<subject>forward|backward|jvp|vjp|setup_context)\(\)"
            r" (?:takes|missing)",
            r"(?P<subject>forward|backward|jvp|vjp)\(\) (?:takes \d+|missing \d+)",
            r"missing a required argument",
        ),
        _K.CUSTOM_FUNCTION,
        ("AG601", "AG602", "AG603", "AG604"),
        "a custom `autograd.Function` breaks what PyTorch asks of it",
        (
            "`backward` has to return one gradient, of the right shape, for each"
            " input of `forward`",
            "only inputs and outputs go through `save_for_backward`",
            "an input that is written must be told to `mark_dirty` and returned",
        ),
        _CALLBACK + r"|\.apply\(|mark_|once_differentiable",
        earlier=True,
    ),
    Topic(
        "not-differentiable-argument",
        (
            r"The function '(?P<subject>\w+)' is not differentiable with respect to argument",
            r"This input cannot have requires_grad True",
        ),
        _K.OTHER,
        ("AG309", "AG310"),
        "an argument of an operator has no derivative, but requires grad",
        ("a weight of a loss is given with its graph: `detach()` it",),
        r"\(",
    ),
    Topic(
        "not-differentiable",
        (
            r"derivative for '?(?:aten::)?(?P<subject>\w+)'? is not implemented",
            r"[Tt]he derivative of '?(?:aten::)?(?P<subject>\w+)'? is not implemented",
            r"backward through (?P<subject>[\w.:]+) but no autograd formula was registered",
            r"an autograd kernel was not registered",
            r"output of this custom operator \(\d+\) must not also be an input",
            r"Trying to use forward AD with (?P<subject>\w+) that does not support it",
            r"not differentiable twice",
        ),
        _K.OTHER,
        ("AG309", "AG310", "AG113"),
        "backward reaches an operator that has no derivative",
        (
            "an operator that only counts, sorts or rounds stands on the way to the loss",
            "a second derivative through an operator that has only a first one",
        ),
        r"\(",
        earlier=True,
    ),
    Topic(
        "out-argument",
        (r"(?P<subject>\w+)\(\): functions with out=\.\.\. arguments don't support automatic",),
        _K.OTHER,
        ("AG107", "AG310"),
        "`out=` is given where gradients are recorded",
        ("leave `out=` out, or do it under `no_grad()`",),
        r"\bout\s*=",
    ),
    Topic(
        "resized",
        (r"cannot resize variables that require grad",),
        _K.OTHER,
        ("AG107", "AG310"),
        "a tensor that requires grad is resized in place",
        ("use `view`, `reshape` or `new_empty`; or resize under `no_grad()` what is detached",),
        r"resize",
    ),
    Topic(
        "called-on-grad",
        (r"Can't call (?P<subject>\w+)\(\) on (?:Variable|Tensor) that requires grad",),
        _K.OTHER,
        ("AG310", "AG107"),
        "a call that autograd cannot follow is made on a tensor that requires grad",
        ("`detach()` the tensor first",),
        r"\.(?:apply_|map_|map2_|tolist)\(",
    ),
    Topic(
        "integer-requires-grad",
        (
            r"[Oo]nly Tensors of floating point(?: and complex)? dtype can require gradients",
            r"only floating[- ]point .{0,200} can require gradients",
        ),
        _K.OTHER,
        ("AG310",),
        "gradients are asked for of integers",
        ("make the tensor of a float dtype (`torch.tensor([1., 2.])`, `.float()`)",),
        r"requires_grad|Parameter\(",
    ),
    Topic(
        "deepcopy",
        (r"Only Tensors created explicitly by the user \(graph leaves\) support the deepcopy",),
        _K.OTHER,
        ("AG310", "AG501"),
        "`copy.deepcopy` comes upon a tensor that was computed",
        (
            "a module keeps a result of its forward as an attribute: `detach()` it, or do not keep"
            " it",
            "a result is copied: `x.detach().clone()`",
        ),
        r"deepcopy\(|self\.\w+\s*=(?!=)",
        earlier=True,
    ),
    Topic(
        "serialised",
        (
            r"refusing to serialize non-leaf tensor which requires_grad",
            r"__setstate__ can be only called on leaf",
        ),
        _K.OTHER,
        ("AG310",),
        "a computed tensor that requires grad is sent to another process",
        ("a data set holds tensors that require grad: `detach()` them",),
        r"DataLoader\(|TensorDataset\(|Queue|\.put\(|pickle|requires_grad",
        earlier=True,
    ),
    Topic(
        "grad-of-non-leaf",
        (r"\.grad attribute of a Tensor that is not a leaf Tensor is being accessed",),
        _K.OTHER,
        ("AG315", "AG303", "AG316"),
        "`.grad` of a computed tensor is read: it is None, as backward fills those of leaves only",
        (
            "a conversion (`.to(...)`, `.cuda()`, `* 0.01`) after `requires_grad=True` made another"
            " tensor",
        ),
        r"\.grad\b|requires_grad",
        earlier=True,
    ),
    Topic(
        "gradient-assigned",
        (
            r"attempting to assign a gradient",
            r"assigned grad (?:has|expected)",
            r"[Cc]annot set grad_dtype",
            r"grad_dtype can only be (?:set|accessed) on leaf",
            r"can't assign Variable as its own grad",
            r"cannot assign .{0,200} as (?:its own )?grad|expected to be a Tensor or None",
        ),
        _K.OTHER,
        ("AG310",),
        "a gradient is assigned that does not go with its tensor",
        ("shape, dtype and device of `.grad` are those of the tensor",),
        r"\.grad\b|grad_dtype",
    ),
    Topic(
        "read-only-attribute",
        (
            r"attribute '(?P<subject>is_leaf|grad_fn|data|_version|output_nr)' of .{0,200}"
            r" (?:is )?not writable",
            r"requires_grad must be a bool",
        ),
        _K.OTHER,
        ("AG310",),
        "an attribute that autograd keeps is assigned",
        ("make another tensor (`detach()`, `clone()`) instead",),
        r"\.(?:is_leaf|grad_fn|requires_grad)\s*=",
    ),
    Topic(
        "overlapping-memory",
        (r"more than one element of the written-to tensor refers to a single memory",),
        _K.OTHER,
        ("AG107", "AG310"),
        "an expanded tensor is written: several of its elements are one place in memory",
        ("`clone()` what `expand`, `broadcast_to` or `expand_as` gave",),
        _WRITES + r"|expand",
    ),
    Topic(
        "nan-in-backward",
        (
            r"[Ff]unction '?(?P<node>\w+?)'? returned nan values in its"
            r" (?P<output>\d+)(?:st|nd|rd|th) output",
        ),
        _K.OTHER,
        ("AG342", "AG341"),
        "the gradient of an operator is not a number",
        (
            "`sqrt`, `norm`, `pow` or `acos` at a value where the derivative is infinite: add a"
            " small number, or mask before the operator",
            "`torch.where` hides a branch whose gradient is not a number all the same",
            "the learning rate or the loss scale lets the weights overflow",
        ),
        r"sqrt\(|norm\(|\*\*|pow\(|log\(|acos\(|asin\(|where\(|std\(|exp\(|atan2\(|dist\(| / ",
        earlier=True,
    ),
    Topic(
        "parameter-not-used",
        (r"Expected to have finished reduction in the prior iteration",),
        _K.OTHER,
        ("AG310", "AG322"),
        "with DistributedDataParallel, a parameter took no part in the loss",
        (
            "a layer is made and not used, or only behind a condition: leave it out or pass"
            " `find_unused_parameters=True`",
        ),
        r"DistributedDataParallel\(|DDP\(|nn\.\w+\(|find_unused_parameters",
        earlier=True,
    ),
    Topic(
        "parameter-ready-twice",
        (
            r"Expected to mark a variable ready only once",
            r"has been marked as ready twice",
        ),
        _K.OTHER,
        ("AG310", "AG318"),
        "with DistributedDataParallel, backward reaches a parameter twice",
        (
            "reentrant checkpoints share a parameter: `use_reentrant=False`",
            "a module is run outside of the `forward` of the wrapped one",
        ),
        r"checkpoint\(|DistributedDataParallel\(|DDP\(|find_unused_parameters",
        earlier=True,
    ),
    Topic(
        "no-gradients-for-ddp",
        (r"DistributedDataParallel is not needed when a module doesn't have any parameter",),
        _K.OTHER,
        ("AG310",),
        "a module without a parameter that requires grad is wrapped",
        ("all parameters are frozen",),
        r"DistributedDataParallel\(|DDP\(|requires_grad",
    ),
    Topic(
        "checkpoint",
        (
            r"torch\.utils\.checkpoint",
            r"[Cc]heckpointing is not compatible with \.grad\(\)",
            r"When use_reentrant=True",
            r"different number of tensors was saved during the original forward and recomputation",
            r"Recomputed values for the following tensors have different metadata",
            r"Unexpected keyword arguments: (?P<subject>\w+)",
            r"None of the inputs have requires_grad=True",
        ),
        _K.OTHER,
        ("AG310", "AG318", "AG103"),
        "a checkpoint cannot do what is asked of it",
        (
            "reentrant checkpoints: pass `use_reentrant=False`",
            "the function does something else when it is run again: a counter, a random number, a"
            " mode",
        ),
        r"checkpoint\w*\(|use_reentrant|global |self\.\w+\s*[-+*/]?=",
        earlier=True,
    ),
    Topic(
        "hook",
        (
            r"[Cc]annot use both regular backward hooks and full backward hooks",
            r"[Bb]ackward (?:pre )?hook returned an invalid number",
            r"hooks? (?:has|have) changed the (?:type|size|shape)",
            r"hook '?(?P<subject>\w+)'? has changed",
            r"expected hook to return|For backward hooks to be called",
            r"[Cc]alling register_hooks on a saved tensor",
            r"saved tensor (?:pack|unpack)[_ ]hook",
            r"A saved tensor pack hook is modifying its input",
            r"[Uu]sing a non-full backward hook|Full backward hook is firing",
        ),
        _K.OTHER,
        ("AG310", "AG108"),
        "a hook does what PyTorch does not take",
        ("return one gradient (or None) for each that the hook is given, of the same shape",),
        r"register_\w*hook|hooks?\(|return\b",
        earlier=True,
    ),
    Topic(
        "vmap",
        (
            r"vmap: ",
            r"[Bb]atching rule not implemented",
            r"functorch",
            r"autograd\.functional",
        ),
        _K.OTHER,
        ("AG310", "AG107"),
        "a function that is run for a whole batch at once (`vmap`, `torch.func`) does"
        " what cannot be"
        " done for all elements together",
        (
            "`.item()` or an `if` on a value: use `torch.where`",
            "a plain tensor made in the function is written with values of the batch: make it with"
            " `torch.zeros_like` of one of them",
        ),
        r"\.item\(|\bif\b|rand|\[.{0,200}\]|_\(|vmap\(",
    ),
    Topic(
        "forward-ad",
        (
            r"forward AD",
            r"[Dd]ual (?:level|[Tt]ensor)",
            r"forward (?:grad|mode)",
            r"Expected primal to be floating point",
            r"forward gradient",
        ),
        _K.OTHER,
        ("AG310", "AG601"),
        "forward-mode differentiation is asked for what it cannot do",
        ("make dual tensors of floats, inside of `dual_level()`",),
        r"dual|jvp|fwAD|forward_ad",
    ),
    Topic(
        "gradcheck",
        (r"[Jj]acobian mismatch", r"gradcheck expects"),
        _K.OTHER,
        ("AG310", "AG601"),
        "`gradcheck` finds another gradient than the one that `backward` computes",
        (
            "`backward` computes something else than the derivative",
            "the inputs are not of double precision",
        ),
        r"gradcheck\(|def backward\b|return\b",
        earlier=True,
    ),
    Topic(
        "not-a-parameter",
        (
            r"cannot assign '(?P<type>[\w.]+)'(?: object)? (?:as|to) (?:parameter"
            r"|buffer|child module)"
            r" '(?P<subject>\w+)'",
            r"[Cc]annot (?:assign|register) non-leaf (?:Tensor|Variable)",
            r"attribute '(?P<subject>\w+)' already exists",
        ),
        _K.OTHER,
        ("AG310",),
        "something else is put in the place of a parameter",
        ("wrap it in `nn.Parameter`, or `copy_` the values under `no_grad()`",),
        r"Parameter|self\.\w+\s*=|\.weight\s*=|\.bias\s*=|register_",
    ),
    Topic(
        "grad-scaler",
        (
            r"(?P<subject>unscale_|step)\(\) has already been called",
            r"since the last update\(\)",
            r"No inf checks were recorded",
            r"Attempting to unscale FP16 gradients",
        ),
        _K.OTHER,
        ("AG310", "AG405"),
        "a `GradScaler` is used out of its order",
        ("`scale`, `backward`, `unscale_`, `step`, `update`: once each in every iteration",),
        r"scaler\.|unscale_|\.update\(",
    ),
    Topic(
        "optimizer-call",
        (
            r"LBFGS (?:doesn't|only) support",
            r"(?P<subject>closure)",
            r"total norm of order [\d.]+ for gradients .{0,200} is non-finite",
            r"optimizer got an empty parameter list",
        ),
        _K.OTHER,
        ("AG310", "AG322"),
        "an optimizer (or the clipping of gradients) is not given what it asks for",
        ("`LBFGS` wants a closure that computes the loss, runs backward and returns it",),
        r"\.step\(|LBFGS\(|clip_grad|optim\.",
    ),
    Topic(
        "number-wanted",
        (
            r"must be Number, not Tensor",
            r"'fill_value' \(position \d+\) must be",
            r"Converting a tensor with requires_grad=True to a scalar",
            r"[Oo]nly one element tensors can be converted to Python scalars",
            r"a Tensor with \d+ elements cannot be converted to Scalar",
            r"'(?P<subject>float|int)' object has no attribute '(?:detach|item|cpu"
            r"|requires_grad|data|grad)'",
        ),
        _K.OTHER,
        ("AG310",),
        "a number is wanted where a tensor is, or the other way round",
        ("`.item()` makes a number of a tensor, and cuts the graph",),
        r"\.item\(|float\(|full\(|new_full\(|\.detach\(|\.data\b",
        earlier=True,
    ),
    Topic(
        "gradient-is-none",
        (
            r"'NoneType' object has no attribute '(?P<subject>zero_|data|detach_?|mul_"
            r"|add_|norm|mean"
            r"|clone|abs|sum|cpu|shape|pow|numpy|size|view|is_sparse|dtype|device)'",
            r"unsupported operand type\(s\) for .{0,200}'NoneType'",
            r"'NoneType' object is not (?:subscriptable|iterable)",
        ),
        _K.OTHER,
        ("AG310", "AG315", "AG601", "AG321", "AG316", "AG311"),
        "a `.grad` is None: no backward has reached that tensor",
        (
            "it is read or cleared before the first backward",
            "the tensor is not a leaf (`.to(...)`, `.cuda()` after `requires_grad=True`)",
            "the loss does not depend on it, or it was bound anew (`w = w - lr * w.grad`)",
        ),
        r"\.grad\b|zero_\(|requires_grad",
        earlier=True,
    ),
    Topic(
        "compiled",
        (
            r"aot_autograd does not currently support double backward",
            r"when making fake tensor call",
        ),
        _K.OTHER,
        ("AG101", "AG310"),
        "a compiled function cannot be differentiated so",
        ("leave the part with the second derivative out of `torch.compile`",),
        r"compile",
    ),
    Topic(
        "out-of-memory",
        (
            r"CUDA(?: error:)? out of memory",
            r"OutOfMemoryError",
            r"DefaultCPUAllocator: (?:not enough|can't allocate) memory",
            r"MPS backend out of memory",
        ),
        _K.OTHER,
        ("AG501", "AG503", "AG504", "AG202", "AG602", "AG502", "AG410"),
        "memory ran out: if it grew from step to step, graphs are kept alive",
        (
            "losses or outputs are gathered with their graph: `total += loss` for"
            " `total += loss.item()`",
            "evaluation runs without `torch.no_grad()`",
            "a hidden state or buffer carries its graph on",
            "`create_graph=True` or `retain_graph=True` that nothing needs",
        ),
        r"\+=\s*\w*loss|append\(|retain_graph|create_graph|self\.\w+\s*=",
        earlier=True,
    ),
    Topic(
        "out-of-vmap-index",
        (r"too many indices for tensor of dimension",),
        _K.OTHER,
        ("AG310",),
        "a tensor has fewer dimensions than the index says; inside of `vmap` the batch is left out",
        ("inside of `vmap` an element is seen without its batch dimension: leave that index out",),
        r"\[[^\]]*[:,][^\]]*\]|vmap\(",
    ),
    Topic(
        "other",
        (
            r"requires?[_ ]grad(?:ient)?s?\b",
            r"\bautograd\b",
            r"grad_(?:output|input|fn)\b",
            r"is_leaf",
            r"saved tensors?",
            r"leaf (?:tensor|variable)",
            r"\bbackward\b",
        ),
        _K.OTHER,
        ("AG310", "AG601"),
        "PyTorch refuses what autograd cannot do",
        (),
        r"",
    ),
)
LAST = TOPICS[-1]


def topic_of(text: str) -> tuple[Topic, re.Match[str]] | None:
    """What a text is about, and where on its one line it says so; None where it does not speak of
    autograd."""
    text = " ".join(text[:_MOST].split())
    for topic in TOPICS:
        match = topic.search(text)
        if match is not None:
            return topic, match
    return None


def named(name: str) -> Topic:
    """The topic of a name; raises KeyError where there is none."""
    return {topic.name: topic for topic in TOPICS}[name]
