"""Which functions of libraries carry out which operations of Python: handed to the machine."""

from __future__ import annotations

from autograd_lint.libraries.packages import one_of_many, package_attribute
from autograd_lint.libraries.torch import members, torch_functions, uncalled
from autograd_lint.libraries.torch.functions import bodies as function_bodies
from autograd_lint.libraries.torch.functions import judging as function_judging
from autograd_lint.libraries.torch.modules import (
    derived_classes,
    hooks,
    modules,
    opaque_modules,
    parameter_containers,
    paths,
)
from autograd_lint.libraries.torch.modules import members as module_members
from autograd_lint.libraries.torch.modules import methods as module_methods
from autograd_lint.libraries.torch.operators import indexing, python_operators, unknown_tensors
from autograd_lint.libraries.torch.tensors import absent_gradients, non_tensors, unknown_attributes
from autograd_lint.libraries.torch.tensors import attributes as tensor_attributes
from autograd_lint.libraries.torch.training import datasets
from autograd_lint.libraries.torch.transforms import batching
from autograd_lint.vm.models import (
    Attributes,
    Calls,
    Elements,
    Models,
    Objects,
    Operators,
    Refusals,
)

MODELS = Models(
    Calls(
        external=torch_functions.call_external,
        member=members.call_member,
        unknown=members.call_unknown,
        unwritten=opaque_modules.unwritten,
        not_called=uncalled.go_on_as_called,
        wanted=uncalled.go_on_with_result,
    ),
    Operators(
        operate=python_operators.operate,
        as_tensor=unknown_tensors.as_tensor,
        number=python_operators.number,
        condition=batching.refuse_condition,
        usually_in=python_operators.usually_in,
    ),
    Elements(
        rows=python_operators.rows,
        item=indexing.item,
        store=indexing.store,
        unknown_item=indexing.unknown_item,
        given=datasets.given,
        append=module_members.add_child,
        kept=parameter_containers.as_element,
        batches=datasets.batches,
        count=modules.count,
    ),
    Attributes(
        external=package_attribute,
        tensor=tensor_attributes.tensor_attribute,
        inherited=module_methods.external_attribute,
        unknown=unknown_attributes.unknown_attribute,
        any_part=paths.any_part,
        set_of_tensor=tensor_attributes.set_tensor_attribute,
        set_of_module=module_members.set_module_attribute,
        set_of_unknown=unknown_attributes.set_unknown_attribute,
        tensor_has=tensor_attributes.tensor_has,
        lacks=non_tensors.lacks,
        every_module_has=module_methods.every_module_has,
        absent_gradient=absent_gradients.absent_gradient,
        one_of_many=one_of_many,
    ),
    Objects(
        make=derived_classes.make,
        made=derived_classes.made,
        initialize=modules.initialize_external,
        forward=modules.forward_external,
        hooked=hooks.run_hooked,
        updated=module_members.forget_members,
    ),
    Refusals(
        operand=function_bodies.refuse_operand,
        attribute=function_bodies.refuse_attribute,
        absent=non_tensors.refuse_absent,
        part=function_bodies.refuse_part,
        position=function_bodies.refuse_position,
        count=function_judging.refuse_count,
        name=function_bodies.refuse_name,
    ),
)
