# SPDX-License-Identifier: MIT
"""Random models of PyTorch for fuzz_pytorch.py: statements of a forward() that run, and sometimes others."""

import random
import warnings

import torch
from random_layers import layer_for
from torch import nn
from torch.nn import functional as F

# Expressions of a value {x}, another one {y} of the same shape, dimensions {d}, {e} and a small number {n}.
COMMON = """
torch.relu({x}); F.relu({x}); {x}.relu(); torch.tanh({x}); {x}.sigmoid(); F.silu({x}); F.gelu({x})
F.gelu({x}, approximate='tanh'); F.elu({x}, 0.5); F.leaky_relu({x}, 0.2); F.softplus({x}, beta=2); F.hardswish({x})
F.hardsigmoid({x}); F.relu6({x}); -{x}; {x}.abs(); {x} + 1; 3 - {x}; {x} * 2; {x} / 2; 1 / ({x} * {x} + 1); {x} ** 2
{x}.pow(3); torch.sqrt({x} * {x} + 1); torch.exp(-{x}.abs()); {x} + {y}; {x} - {y}; {x} * {y}; {x} / ({y}.abs() + 1)
torch.maximum({x}, {y}); torch.min({x}, {y}); torch.add({x}, {y}); {x}.sub({y}); {x}.clamp(-0.5, 0.5)
{x}.clamp(min=0); {x}.clamp(max=0.5); torch.clamp({x}, -1, 1); F.hardtanh({x}, -0.5, 2.0); {x}.rsub(1)
F.softmax({x}, dim={d}); {x}.log_softmax({d}); {x}.mean({d}); {x}.mean({d}, keepdim=True); {x}.sum(({d}, {e}))
{x}.amax({d}); {x}.max({d})[0]; {x}.flatten(1); {x}.reshape({x}.shape[0], -1); {x}.view({x}.size(0), -1)
{x}.unsqueeze({d}); {x}.squeeze({d}); {x}.transpose({d}, {e}); {x}.contiguous(); {x}[:, :{n}]; {x}[:, {n}:]
{x}[..., -1]; {x}[..., :{n}]; {x}[:, 0]; {x}[:, -1:]; {x}.chunk(2, {d})[0]; {x}.split({n}, {d})[-1]
{x}.narrow({d}, 0, {n}); torch.cat([{x}, {y}], {d}); torch.cat([{x}, {y}], dim=-1); torch.cat(({x},), 1)
torch.stack([{x}, {y}], 1); {x}.flip({d}); {x} @ {y}.transpose(-1, -2); F.pad({x}, (1, 0))
F.pad({x}, (1, 1), mode='reflect'); F.pad({x}, (0, 1, 1, 0)); F.dropout({x}, 0.5, self.training); {x} + self.p
{x} * self.p; self.b - {x}; torch.matmul({x}, {y}.transpose(1, 2)); F.max_pool1d({x}, 2); F.avg_pool1d({x}, 2, 1)
F.max_pool2d({x}, 2); F.adaptive_avg_pool2d({x}, 1); {x}.amin({d})
"""
# Those of which most are refused, or are not traced.
ODD = """
torch.relu_({x}); F.relu({x}, inplace=True); {x}.add_({y}); {x}.mul_(2); {x}.clamp_(0, 1); {x}.abs_(); {x}.fill_(1)
{x}.zero_() + {y}; {x}.mean(); {x}.mean(0); {x}.sum(); {x}.amax(0, keepdim=True) + {x}; {x} - {x}.mean(0)
{x}.softmax(0); {x}.max(); {x}.reshape(-1); {x}[0]; {x}[::2]; {x}[:, ::2]; {x}[:, [0, 0]]; {x}[:, None]; {x}[{x} > 0]
{x}.t(); {x}.T; {x}.flip(0); {x}.roll(1, 1); {x}.cumsum(1); {x}.argmax(1); {x}.sort(1)[0]; {x}.topk(1)[0]; {x}.std(1)
{x}.var(-1, keepdim=True); {x}.norm(dim=1); F.normalize({x}); F.layer_norm({x}, {x}.shape[1:])
F.interpolate({x}, scale_factor=2); {x}.expand(-1, {n}); {x}.repeat(1, {n}); {x}.long(); {x}.double(); {x}.half() * 2
{x}.to(torch.float32); {x}.detach(); {x}.item(); {x}.numpy(); {x}.tolist(); {x} * {x}.shape[1]; {x} * {x}.size(0)
{x} * len({x}); torch.rand_like({x}) * {x}; torch.zeros_like({x}) + {x}; {x}.new_zeros(1) + {x}
torch.where({x} > 0, {x}, {y}); {x}.masked_fill({x} > 0, 0.5); torch.ones(2) + {x}[:, :2]
torch.add({x}, {y}, alpha=2); torch.sub(input={x}, other={y}); torch.div({x}, 2, rounding_mode='floor')
torch.sum({x}, {d}, True); torch.clamp({x}, {y}); {x}.pow({y}); 2 ** {x}; {x} if {x}.sum() > 0 else {y}
[{x} * i for i in range(3)][-1]; sum([{x}, {y}]); {x} + None; {x}.lacking; self.lacking({x}); {x}.mean(dim=None)
{x}.mean((1, 1)); {x}[1:]; torch.einsum('nc,nd->nc', {x}, {y}); torch.bmm({x}, {y}); torch.outer({x}[:, 0], {x}[:, 1])
F.linear({x}, self.w); F.conv1d({x}, self.w); F.embedding({x}.long(), self.w); F.dropout({x}, 0.5)
F.dropout({x}, training=True); torch.chunk(input={x}, chunks=2, dim=1)[1]; torch.split({x}, [1, {n}], {d})[1]
torch.unbind({x}, 1)[0]; {x}.unflatten(1, (1, -1)); {x}.view(2, -1); {x}.view(-1, 2); {x}.reshape(1, 2, -1)
{x}.squeeze(); {x}.squeeze(0); {x}.unsqueeze(0); {x}.permute(1, 0); {x}.transpose(0, 1); torch.cat([{x}, {y}])
torch.cat([{x}, {y}], 0); F.pad({x}, (1, 1), value=0.5); F.pad({x}, (-1, 0)); F.pad({x}, (1, 1), 'circular')
F.softmax({x}); F.glu({x}, 1); F.glu({x}); torch.tanh(input={x}); torch.nn.functional.relu(input={x}); {x}.exp_()
{x}.sqrt(); {x}.log(); {x}.rsqrt(); {x}.reciprocal(); {x} % 2; {x} // 2; {x} > 0; ~({x} > 0); {x} == {y}
torch.sin({x}); torch.erf({x}); F.mish({x}); F.selu({x}); {x}.sign(); {x}.clamp(1, 0); F.elu({x}, -1.0)
F.leaky_relu({x}, 1e39); F.softplus({x}, beta=-1); F.softplus({x}, beta=0); {x} * 1e39; {x} + float('nan')
{x} * float('inf'); {x} ** 1e10; {x} / 0
"""


def expressions(text):
    return [one.strip() for line in text.strip().splitlines() for one in line.split(";")]


class Drawn:
    """A model of one seed, the sizes of a sample, and its text."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        torch.manual_seed(seed)
        self.shape = self.pick((4,), (6,), (1,), (3, 4), (4, 4), (1, 6), (2, 5, 6), (3, 4, 4))
        self.model, self.lines, self.values = nn.Module(), [], {"x": torch.rand(2, *self.shape) - 0.5}
        self.model.register_parameter("p", nn.Parameter(torch.rand(self.shape[-1])))
        self.model.register_buffer("b", torch.rand(1, *self.shape))
        self.model.w = nn.Parameter(torch.rand(3, self.shape[-1]))
        for _ in range(self.random.randint(1, 6)):
            self.add_line()
        self.finish()

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def add_line(self):
        x = self.random.choice(list(self.values))
        value, name = self.values[x], f"v{len(self.lines)}"
        alike = [other for other, one in self.values.items() if one.shape == value.shape]
        if self.chance(0.45):
            layer, text = layer_for(self.random, value.shape[1:], x)
            if layer is None:
                return
            known = [
                key for key, other in self.model.named_children() if self.chance(0.1) and type(other) is type(layer)
            ]
            key = known[0] if known else f"l{len(self.lines)}"
            setattr(self.model, key, getattr(self.model, key, layer))
            text = text.replace("LAYER", f"self.{key}")
        else:
            text = self.random.choice(expressions(COMMON if self.chance(0.8) else ODD))
            dims = [self.pick(-1, 1, 2, 3) for _ in "de"]
            text = text.format(x=x, y=self.random.choice(alike), d=dims[0], e=dims[1], n=self.random.randint(1, 3))
        try:
            with torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = eval(text, {"torch": torch, "F": F}, {"self": self.model.eval(), **self.values})
        except Exception:
            made = None
            if not self.chance(0.03):
                return
        self.lines.append(f"{name} = {text}")
        if isinstance(made, torch.Tensor) and made.numel() < 4000 and made.shape[:1] == (2,):
            self.values[name] = made

    def finish(self):
        names = list(self.values)
        last, other = names[-1], self.random.choice(names)
        end = self.pick(
            *[last] * 12, f"{last}, {other}", f"[{last}, {other}]", f"{{'a': {last}, 'b': {other}}}", f"({last},)"
        )
        if self.chance(0.05):
            end = self.pick(
                "None",
                "1",
                f"({last}, None)",
                f"{last}.shape",
                f"({last}, ({other}, {last}))",
                "{1: x}",
                "self.p",
                "lacking",
            )
        self.text = "def forward(self, x):\n    " + "\n    ".join([*self.lines, f"return {end}"]) + "\n"
        space = {"torch": torch, "F": F, "nn": nn}
        exec(self.text, space)
        self.model.__class__ = type("Model", (nn.Module,), {"forward": space["forward"]})
        if self.chance(0.2):
            self.spoil()

    def spoil(self):
        """Makes one thing of the model odd or wrong."""
        model, layers = self.model, list(self.model.children())
        layer = self.random.choice(layers) if layers else model
        parameter = self.random.choice(list(model.parameters()))

        def other_shape():
            self.shape = self.pick((5,), (), (0,), (2, 2), (1, 1, 1, 1), [(4,), (4,)], (4.0,), ("a",), -1)

        def replaced():
            assert hasattr(layer, "weight")
            layer.weight = nn.Parameter(torch.rand(self.pick((3, 3), (1,), (4, 4), (2, 3, 3))))

        changes = (
            other_shape,
            replaced,
            lambda: model.train(),
            lambda: layer.train(),
            lambda: model.half(),
            lambda: model.double(),
            lambda: layer.double(),
            lambda: layer.register_forward_hook(lambda *given: None),
            lambda: layer.register_forward_pre_hook(lambda *given: None),
            lambda: parameter.data.fill_(self.pick(float("nan"), float("inf"), 0.0, 1e30)),
            lambda: parameter.requires_grad_(False),
            lambda: setattr(layer, "forward", lambda x: x),
            lambda: nn.utils.parametrizations.weight_norm(layer),
            lambda: nn.utils.spectral_norm(layer),
            lambda: setattr(layer, "weight", None),
            lambda: setattr(layer, "bias", None),
            lambda: model.to("meta"),
            lambda: delattr(layer, "weight"),
            lambda: setattr(self, "model", nn.Sequential(model, layer)),
            lambda: setattr(self, "model", layer),
            lambda: setattr(self, "model", torch.compile(model)),
            lambda: setattr(self, "model", nn.DataParallel(model)),
            lambda: setattr(self, "model", None),
        )
        try:
            self.random.choice(changes)()
        except Exception:
            pass  # PyTorch does not make it
