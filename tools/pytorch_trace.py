# SPDX-License-Identifier: MIT
"""Runs a traced model of PyTorch: the shape of every value, and what it changes in place. from_pytorch.py needs this file beside it.

A graph names values, and an operation in place changes a value under all of its names. Where one of them is read afterwards, the graph
does not say what it reads, and the model is refused.
"""
import torch
import torch.fx
from torch import nn
from torch.nn.utils import parametrize, rnn

from layer_graph import require


def tensors_in(value):
    """The tensors of a value, or of a tuple, list or dict of them."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [tensor for one in value for tensor in tensors_in(one)] if isinstance(value, (tuple, list)) else []


def places(tensor):
    """Where the numbers of a tensor are in its memory."""
    count = tensor.untyped_storage().nbytes() // tensor.element_size()
    return torch.arange(count).as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).reshape(-1)


def same_memory(one, two):
    """Whether two tensors have numbers in common."""
    if one.numel() == 0 or two.numel() == 0 or one.untyped_storage().data_ptr() != two.untyped_storage().data_ptr():
        return False
    return one.dtype != two.dtype or bool(torch.isin(places(one), places(two)).any())


def state_of(tensor):
    """What differs after a tensor was changed in place: how often that was done, and its shape."""
    return tensor._version, tensor.shape, tensor.stride()


class Shapes(torch.fx.Interpreter):
    """Runs a traced model and remembers the shape of every value, and which nodes change values in place. Packed sequences are those with all
    steps."""

    def __init__(self, module):
        super().__init__(module, garbage_collect_values=False)
        self.changed = {}  # of nodes that change values in place, these

    def call_function(self, target, args, kwargs):
        if target is rnn.pack_padded_sequence:
            return args[0] if args else kwargs["input"]
        if target is rnn.pad_packed_sequence:
            given = dict(zip(("sequence", "batch_first", "padding_value", "total_length"), args)) | kwargs
            packed = given["sequence"]
            require(given["total_length"] == packed.shape[1], f"pad_packed_sequence has total_length={given['total_length']} for sequences of {packed.shape[1]} steps")
            return packed, torch.full(packed.shape[:1], packed.shape[1])
        return super().call_function(target, args, kwargs)

    def run_node(self, node):
        given = tensors_in(list(self.fetch_args_kwargs_from_env(node)))
        before = [state_of(tensor) for tensor in given]
        value = super().run_node(node)
        changed = [tensor for tensor, state in zip(given, before) if state_of(tensor) != state]
        changed += given[:1] if self.says_in_place(node) else []
        if changed:
            self.changed[node] = changed
        if isinstance(value, torch.Tensor):
            node.meta["shape"] = tuple(value.shape)
            sources = [other for other in node.all_input_nodes if "shape" in other.meta]
            if node.op == "get_attr" or (sources and all("constant" in other.meta for other in sources)):
                node.meta["constant"] = value
        elif isinstance(value, (tuple, list)) and value and all(isinstance(part, torch.Tensor) for part in value):
            node.meta["parts"] = [tuple(part.shape) for part in value]
        return value

    def says_in_place(self, node):
        """Whether a node changes its input when the model is trained, as a dropout does."""
        return bool(getattr(self.fetch_attr(node.target), "inplace", False) if node.op == "call_module" else node.kwargs.get("inplace", False))

    def refuse_stale(self, described):
        """Refuses values that are read under an old name after they were changed in place."""
        nodes = list(self.module.graph.nodes)
        order = {node: i for i, node in enumerate(nodes)}
        stops = next((node for node in nodes if node.op == "call_method" and node.target in ("detach_", "requires_grad_")), None)
        require(stops is None, f"{stops and described(stops)} stops gradients, which sinter's layers do not")
        for node, changed in self.changed.items():
            own = next((other for other in nodes if other.op == "get_attr" and any(same_memory(a, b) for a in tensors_in(self.env[other]) for b in changed)), None)
            require(own is None, f"{described(node)} changes {own and own.target!r} of the model in place, so that each call computes something else")
            for reader in nodes[order[node] + 1:]:
                if reader.op != "output" and not tensors_in(self.env.get(reader)):
                    continue  # of its sizes
                stale = [source for source in reader.all_input_nodes if order[source] < order[node] and
                         any(same_memory(a, b) for a in tensors_in(self.env[source]) for b in changed)]
                what = "what forward() returns" if reader.op == "output" else described(reader)
                require(not stale, f"{described(node)} changes a value in place, and {what} reads that value afterwards by another name; write it so that it gives a new value "
                        "(inplace=False, a name without _ at its end, x = x + y for x += y)")


def refuse_hooks(model, called):
    """Refuses what is computed round a layer, and is not in the graph. `called`: the layers of the graph, by their names."""
    everywhere = [*nn.modules.module._global_forward_hooks.values(), *nn.modules.module._global_forward_pre_hooks.values()]
    require(not everywhere, "there are hooks for all modules, which may change what they compute; remove them (torch.nn.modules.module.register_module_forward_hook)")
    for name, layer in {"": model, **called}.items():
        what = f"layer {name!r} of type {type(layer).__name__}" if name else f"the model of type {type(layer).__name__}"
        hooks = [*layer._forward_hooks.values(), *layer._forward_pre_hooks.values()]
        for kind in ("weight_norm", "spectral_norm"):
            own = any(type(hook).__name__ == kind.title().replace("_", "") for hook in hooks)
            require(not own, f"{what} has torch.nn.utils.{kind}; call torch.nn.utils.remove_{kind} first, which leaves the weight that it computes")
        require("forward" not in vars(layer), f"{what} has a forward() of its own, which is not that of its class; write a class with it")
        require(not hooks, f"{what} has hooks, which may change what it computes; remove them, or write what they do in forward()")
        if parametrize.is_parametrized(layer):
            calls = ", ".join(f"torch.nn.utils.parametrize.remove_parametrizations(layer, {tensor!r})" for tensor in layer.parametrizations)
            require(False, f"{what} is parametrized; call {calls} first, which leaves what it computes")
