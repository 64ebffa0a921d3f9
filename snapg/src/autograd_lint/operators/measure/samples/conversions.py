"""Conversions, copies, factories, and what is asked of tensors."""

import torch

from autograd_lint.operators.measure.samples.making import Given, Samples, ids, together, unary, x

_CASTS = "float double half bfloat16 long int bool short byte char"
_COPIES = "data detach clone as_tensor asarray to_dense to_sparse"
_QUESTIONS = (
    "item tolist numpy numel nelement dim ndim ndimension size shape stride storage_offset itemsize"
    " nbytes element_size is_contiguous is_leaf is_complex is_floating_point is_signed is_conj"
    " is_neg is_inference is_cuda is_cpu is_sparse is_quantized is_nested is_meta is_shared"
    " is_pinned dtype device layout data_ptr grad_fn output_nr get_device untyped_storage dense_dim"
    " sparse_dim __len__ __array__ dim_order name"
)
_LIKE = "zeros_like ones_like empty_like rand_like randn_like"
_WINDOWS = "bartlett_window blackman_window hamming_window hann_window kaiser_window"


def _conversions() -> Given:
    return [
        (x(), torch.float64),
        (x(), torch.int64),
        (x(), torch.bool),
        (x(), torch.float32),
        (x(), {"dtype": torch.int64}),
        (x(), {"dtype": torch.float64}),
    ]


def _devices() -> Given:
    return [(x(), torch.device("cpu")), (x(), torch.device("meta"))]


def _factory() -> Given:
    return [(3, 4), ((3, 4),), ((3, 4), {"dtype": torch.int64}), ((3,), {"dtype": torch.bool})]


def _factory_like() -> Given:
    return [(x(),), (x(), {"dtype": torch.int64}), (x(), {"dtype": torch.bool})]


def _new() -> Given:
    return [(x(), 3, 4), (x(), (3, 4)), (x(), (3,), {"dtype": torch.int64})]


def _tensor() -> Given:
    return [
        (1.0,),
        (1,),
        (True,),
        ([1.0, 2.0],),
        ([1, 2],),
        (x(),),
        ([1, 2], {"dtype": torch.float32}),
    ]


SAMPLES: Samples = {
    **together(_CASTS, unary),
    **together(_COPIES, unary),
    **together(_QUESTIONS, unary),
    **together("__float__ __int__ __bool__ __complex__", lambda: [(torch.tensor(1.5),)]),
    **together("is_nonzero __nonzero__", lambda: [(torch.tensor(1.5),)]),
    "__index__": lambda: [(torch.tensor(1),)],
    "__contains__": lambda: [(x(), 0.5)],
    **together("is_same_size is_set_to equal", lambda: [(x(), x())]),
    **together("result_type", lambda: [(x(), x()), (x(), 2)]),
    "type": lambda: [(x(), torch.float32), (x(), "torch.LongTensor"), *_conversions()],
    "type_as": lambda: [(x(), x()), (x(), ids(3))],
    "to": lambda: [*_devices(), (x(), x()), *_conversions()],
    **together("cpu cuda xpu ipu pin_memory", _devices),
    **together("zeros ones empty rand randn", _factory),
    **together(_LIKE, _factory_like),
    **together("new_zeros new_ones new_empty", _new),
    "new_tensor": lambda: [(x(), [1.0, 2.0])],
    "full": lambda: [((3,), 1.0), ((3,), 1), ((3,), True)],
    "full_like": lambda: [(x(), 1.0)],
    "new_full": lambda: [(x(), (3,), 1.0)],
    "arange": lambda: [(3,), (0, 3), (3.0,), (0.0, 3.0, 0.5), (3, {"dtype": torch.float32})],
    "linspace": lambda: [(0, 1, 5), (0.0, 1.0, 5)],
    **together("fft.fftfreq fft.rfftfreq", lambda: [(4,), (4, 0.5)]),
    **together(_WINDOWS, lambda: [(4,)]),
    "eye": lambda: [(3,)],
    "tensor": _tensor,
    "randint": lambda: [(3, (2,)), (0, 3, (2,))],
    "randperm": lambda: [(3,)],
    "poisson": unary,
    "binomial": lambda: [(x() + 3, x())],
}
