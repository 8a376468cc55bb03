#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_pytorch.py CXX FOLDER: what tools/from_pytorch.py makes of models of PyTorch's, compiled and run.

Each model becomes a header and weights; one program has all of them, loads the weights (whose self-test is replayed) and
gives what PyTorch gives for other rows. Then the models that sinter has no layers for, each refused by name.
"""
import math
import pathlib
import struct
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import converted  # noqa: E402
import from_pytorch  # noqa: E402
import torch  # noqa: E402
from converted import check  # noqa: E402
from torch import Tensor, nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402


class Digits(nn.Module):
    """As the examples of PyTorch write it: layers with names, functions between them."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 5)
        self.conv2 = nn.Conv2d(4, 6, 3, bias=False)
        self.drop = nn.Dropout2d()
        self.fc1 = nn.Linear(54, 16)
        self.fc2 = nn.Linear(16, 10)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = torch.tanh(self.drop(self.conv2(x)))
        x = F.avg_pool2d(x, kernel_size=2, stride=2).view(-1, 54)
        x = F.dropout(F.leaky_relu(self.fc1(x), 0.2), 0.3, training=self.training)
        return F.log_softmax(self.fc2(x), dim=1)


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs, momentum=0.2)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, "same", bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.down = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs)) if stride != 1 else nn.Identity()

    def forward(self, x):
        y = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
        y += self.down(x)
        return y.relu()


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.one, self.two = nn.Conv2d(2, 4, 3, padding=1), nn.Conv2d(4, 3, 1), nn.Conv2d(4, 2, 3, padding=1)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(119, 5))

    def forward(self, x):
        x = self.start(x)
        x = torch.cat([self.one(x), torch.sigmoid(self.two(x)), x, torch.tanh(x), x.relu()], dim=1)
        return self.head(F.adaptive_avg_pool2d(x, (7, 1)))


class PictureAndWords(nn.Module):
    """Two inputs, one of them numbers of words."""

    def __init__(self):
        super().__init__()
        self.conv, self.words, self.end = nn.Conv2d(2, 3, 3), nn.Embedding(7, 2), nn.Linear(24, 4)

    def forward(self, picture, words):
        parts = [torch.relu(self.conv(picture)), self.words(words)]
        return self.end(torch.cat([part.flatten(1) for part in parts], 1))


class Siamese(nn.Module):
    """The same layers on two channels, one behind the other in the names of others; an activation in several places."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.relu = nn.Conv2d(1, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU()
        self.tower = nn.Sequential(self.conv, self.norm, self.relu, nn.MaxPool2d(2), nn.Flatten())
        self.end = nn.Linear(72, 4)

    def forward(self, x):
        y = torch.cat([self.tower(x[:, :1]), self.tower(x[:, 1:])], 1)
        return self.relu(self.end(self.relu(y)))


class Again(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(torch.relu(self.layer(x)))


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.classes, self.place = nn.Linear(6, 8), nn.Linear(8, 3), nn.Sequential(nn.Linear(8, 5), nn.Tanh(), nn.Linear(5, 2))

    def forward(self, x):
        y = torch.relu(self.body(x))
        return {"classes": F.log_softmax(self.classes(y), 1), "place": self.place(y), "body": y}


class Mixed(nn.Module):
    """Indices and numbers in one row."""

    def __init__(self):
        super().__init__()
        self.words, self.out = nn.Embedding(7, 3), nn.Linear(8, 4)

    def forward(self, x):
        return self.out(torch.cat([self.words(x[:, :2].long()).flatten(1), torch.narrow(x, 1, 2, 2)], 1))


class Parts(nn.Module):
    def forward(self, x):
        a, b, c = x.chunk(3, dim=1)
        d, e = torch.split(c, [1, 2], 1)
        return torch.cat([torch.tanh(b), a, e, d, x[:, -2:, :], x], 1)


class Gates(nn.Module):
    """Of WaveNet; of squeeze-and-excitation; a square."""

    def __init__(self):
        super().__init__()
        self.filter, self.gate = nn.Conv1d(2, 4, 3, padding=1), nn.Conv1d(2, 4, 3, padding=1)
        self.squeeze, self.excite = nn.Conv1d(4, 2, 1), nn.Conv1d(2, 4, 1)
        self.image, self.wide = nn.Conv2d(4, 4, 1), nn.Linear(32, 12)

    def forward(self, x):
        x = torch.tanh(self.filter(x)) * torch.sigmoid(self.gate(x))
        x = x.mul(torch.sigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool1d(x, 1))))))
        x = x.reshape(-1, 4, 4, 2)
        x = torch.sigmoid(self.image(F.adaptive_avg_pool2d(x, (1, 1)))) * x
        a, b = F.glu(self.wide(x.flatten(1)), dim=1).chunk(2, 1)
        y = a * torch.sigmoid(b) + torch.square(b).exp().sqrt().log().abs()
        y *= y
        return y


class Images(nn.Module):
    def forward(self, x):
        return torch.tanh(x), torch.relu(x)


class Crossed(nn.Module):
    """A value inside of a branch that is read outside of it, too."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        y = self.a(x)
        z = self.b(y)
        return (x + z) + (y + z)


class Skips(nn.Module):
    """Dense connections, in images of two sizes; outputs that are read further; a layer twice among them."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Conv2d(2, 3, 3, padding=1), nn.Conv2d(5, 3, 3, padding=1), nn.Conv2d(6, 3, 1)
        self.d, self.e = nn.Conv2d(3, 2, 2, stride=2), nn.Linear(12, 3)

    def forward(self, x):
        a = torch.relu(self.a(x))
        b = torch.tanh(self.b(torch.cat([x, a], 1)))
        c = torch.sigmoid(self.c(torch.cat([a, b], 1))) * a
        d = self.d(c) + self.d(b)
        return b, self.e(d.flatten(1)), torch.cat([d, d], 1), c


class Recurrent(nn.Module):
    """Outputs of one layer, and the final states of others, in the ways in which these are written."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(7, 3)
        self.first = nn.GRU(3, 4, num_layers=2, dropout=0.2, bidirectional=True, batch_first=True)
        self.second, self.third = nn.LSTM(8, 5, batch_first=True), nn.RNN(8, 3, bias=False, batch_first=True)
        self.fourth, self.fifth = nn.LSTM(8, 5, 2, bidirectional=True, batch_first=True, proj_size=2), nn.GRU(8, 3, batch_first=True)
        self.out = nn.Linear(15, 2)
        self.begin, self.h0, self.c0 = (nn.Parameter(torch.randn(count, 1, size)) for count, size in ((4, 4), (1, 5), (1, 5)))

    def forward(self, x):
        y, _ = self.first(self.words(x), self.begin.expand(-1, x.size(0), -1).contiguous())
        y = torch.tanh(y)
        _, (h, _) = self.second(y, (self.h0.repeat(1, y.size(0), 1), self.c0.repeat(1, y.size(0), 1)))
        z, _ = self.third(y, torch.zeros(1, x.shape[0], 3, dtype=y.dtype))
        _, (both, _) = self.fourth(y)
        return self.out(torch.cat([h[-1], z[:, -1], torch.cat((both[-2], both[-1]), 1), self.fifth(y)[1][0]], 1))


class Stepping(nn.Module):
    """Cells with their state beside the input; one takes two steps."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LSTMCell(3, 4), nn.GRUCell(4, 2, bias=False)

    def forward(self, row):
        x, h, c, g = row.split([3, 4, 4, 2], 1)
        state = self.first(x, (h, c))
        h, c = self.first(torch.tanh(x), hx=state)
        return torch.cat([self.second(h, g), h, c], 1)


class Stepped(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 4)

    def forward(self, row):
        return self.cell(row[:, :3], (row[:, 3:7], row[:, 7:]))[0]


class Captions(nn.Module):
    """Layers that begin with values of the rows: one, those of an LSTM in both directions, and those of two layers."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(4, 5), nn.GRU(3, 5, batch_first=True)
        self.both, self.last = nn.LSTM(5, 5, bidirectional=True, batch_first=True), nn.GRU(10, 5, num_layers=2, batch_first=True)

    def forward(self, picture, words):
        h = torch.tanh(self.encoder(picture))
        y, end = self.decoder(words, h.unsqueeze(0))
        z, _ = self.both(y, (torch.stack([h, torch.sigmoid(h)]), torch.stack((h, h), dim=0)))
        _, last = self.last(z, torch.stack([torch.sigmoid(h) + y[:, -1], end[-1]], 0))
        return last[-1]


class Tagged(nn.Module):
    """Rows of fewer steps, whose number is an input of its own; the second layer gets them unpacked, and reads all steps."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LSTM(3, 4, bidirectional=True, batch_first=True), nn.GRU(8, 5, batch_first=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        y, _ = pad_packed_sequence(self.first(packed)[0], batch_first=True, total_length=6)
        return self.second(torch.tanh(y))[0]


class Reviewed(nn.Module):
    """The same as the first number of a row, for two layers; the second one begins with a state of the row."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.begin = nn.GRU(3, 5, num_layers=2, batch_first=True), nn.LSTM(5, 4, batch_first=True), nn.Linear(13, 4)

    def forward(self, x):
        packed = nn.utils.rnn.pack_padded_sequence(x[:, 1:].reshape(-1, 4, 3), x[:, 0].long(), batch_first=True, enforce_sorted=False)
        assert isinstance(x, (Tensor, torch.fx.Proxy))
        begin = torch.tanh(self.begin(x)).unsqueeze(0)
        _, (h, _) = self.second(self.first(packed)[0], (begin, begin))
        return h[-1]


class FromZeros(nn.Module):
    """Layers that begin with zeros, as many programs write them: the self-test in double needs them in double."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.GRU(3, 4, batch_first=True), nn.LSTM(4, 5, 2, batch_first=True)

    def forward(self, x):
        y = self.first(x, torch.zeros(1, x.size(0), 4))[0]
        return self.second(y, (torch.zeros(2, x.size(0), 5).to(x.device), torch.zeros(2, x.size(0), 5).to(x.device)))[0]


class Packed(nn.Module):
    """What `read` makes of packed outputs and the final state, for lengths of `count`."""

    def __init__(self, read, count=lambda x: x[:, 0].long(), **options):
        super().__init__()
        self.layer, self.read, self.count, self.options = nn.GRU(4, 4, batch_first=True), read, count, options

    def forward(self, x):
        steps = x[:, 1:].reshape(-1, 3, 4)
        y, h = self.layer(pack_padded_sequence(steps, self.count(x), enforce_sorted=False, **self.options))
        return self.read(y, h)


def last_step(y, h):
    return pad_packed_sequence(y, batch_first=True, total_length=3)[0][:, -1]


class Matched(nn.Module):
    """Products of two values."""

    def forward(self, x):
        return torch.bmm(torch.softmax(x @ x.transpose(1, 2), 2), x).exp().reciprocal()


class Attending(nn.Module):
    """Attention with itself, blocks with it, and a linear layer at each step."""

    def __init__(self):
        super().__init__()
        self.begin = nn.Linear(3, 8)
        self.first = nn.MultiheadAttention(8, 2, dropout=0.25, batch_first=True)
        self.second = nn.TransformerEncoderLayer(8, 4, 6, batch_first=True)
        self.third = nn.TransformerEncoderLayer(8, 2, 5, 0.2, "gelu", norm_first=True, bias=False, batch_first=True)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(5))

    def forward(self, x):
        x = self.begin(x)
        x = x + self.first(x, x, x, attn_mask=self.mask.to(x.dtype), is_causal=True, need_weights=False)[0]
        return self.third(self.second(x), src_mask=self.mask.to(x.dtype), is_causal=True)


class Ordered(nn.Module):
    """A sequence that is unrolled step by step, as in the tutorials."""

    def __init__(self):
        super().__init__()
        angle = torch.arange(40)[:, None] * torch.exp(torch.arange(0, 6, 2) * (-math.log(10000) / 6))
        table = torch.stack((torch.sin(angle), torch.cos(angle)), 2).reshape(40, 6)
        self.register_buffer("table", table[None], persistent=False)
        self.begin, self.end = nn.Linear(4, 6), nn.TransformerEncoderLayer(6, 2, 8, batch_first=True)

    def forward(self, x):
        x = self.begin(x)
        return self.end(x + self.table[:, :x.size(1)])


class Moved(nn.Module):
    """Layers that move numbers, as modules and as functions."""

    def __init__(self):
        super().__init__()
        self.larger = nn.Sequential(nn.ReflectionPad2d((1, 2, 0, 1)), nn.ZeroPad2d(1), nn.Conv2d(2, 8, 2), nn.PixelShuffle(2), nn.Upsample(scale_factor=2),
                                    nn.ReplicationPad2d((0, 1, 0, 0)), nn.Upsample(scale_factor=2, mode="bilinear"),
                                    nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True))
        self.norms = nn.Sequential(nn.LayerNorm(12, eps=1e-3), nn.RMSNorm(12), nn.Softmax(1))
        self.out = nn.Linear(12, 3)

    def forward(self, x):
        x = self.larger(x).permute(0, 2, 3, 1).narrow(2, 3, 12)
        x = F.softmax(self.norms(torch.flip(x.mean(dim=-1), (1,))), 2).transpose(1, -1)
        return self.out(x.sum(2, keepdim=True).flatten(1))


class Numbers(nn.Module):
    """Sums, differences, products and quotients with numbers and parameters of several shapes, on either side."""

    def __init__(self):
        super().__init__()
        self.channels, self.each, self.one = nn.Parameter(torch.zeros(3, 1)), nn.Parameter(torch.zeros(1, 3, 5)), nn.Parameter(torch.ones(()))
        self.register_buffer("steps", torch.ones(5))

    def forward(self, x):
        y = (x * 2 + 1) / 3 - 0.25
        y = self.channels * y + self.steps
        y = 2 - y * self.each.exp() + self.each
        y -= -x / (self.one + torch.exp(y))
        return y / self.steps * (1 / (y + 3)) + x.div(self.one).add(x).sub(torch.tanh(y)) + (y + y)


class Chosen(nn.Module):
    """Powers, bounds, the largest and smallest; numbers around values, and parts of them, along several dimensions."""

    def forward(self, x):
        y = F.pad(x, (1, 0, 2, 1), mode="reflect")[:, :, 1:6, -5:]
        y = F.pad(F.pad(torch.clamp(y, -0.5, max=0.75), (0, 1, 2, 0, 0, 1)), (1, 1, 0, 0), "replicate")[:, :, 2:, :-1]
        a, b = torch.tanh(y)[..., :6].chunk(2, dim=3)
        y = y - y.amin(1, keepdim=True) * torch.rsqrt(y[:, 1:2] ** 2 + 1) + y.mean((2, 3), keepdim=True)
        c = a.clip(min=0) ** 3 - torch.pow((b * b + 1), -2).neg()
        parts = [y.amax((2, 3)), torch.amin(y[:, 2], 1), c.max(dim=3).values[:, 0], -c.min(2)[0][..., 1], y[:, 0, 2:3, 1].abs() ** 0.5, y[:, 1, 0, 0].unsqueeze(1)]
        return torch.cat(parts, 1)


class Inverse(nn.Module):
    """No number where a row has zeros."""

    def forward(self, x):
        return 1 / x - torch.log(x)


class Extremes(nn.Module):
    """The larger and the smaller of two values, by each of their names."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(5, 4), nn.Linear(5, 4), nn.Linear(4, 3)

    def forward(self, x):
        a, b = self.a(x), self.b(x)
        y = torch.maximum(a, b.relu()).minimum(torch.max(a, torch.tanh(b)))
        return self.c(torch.min(y, a).maximum(b))


# The model, the sizes of a sample, and what the header must say.
MODELS = {
    "Extremes": (Extremes, (5,), "Maximum<sinter::Path<"),
    "PictureAndWords": (PictureAndWords, [(2, 4, 5), (3,)], "PictureAndWordsInputs, sinter::Concat<sinter::Path<"
                        'sinter::TakeInput<PictureAndWordsInputs, "picture">, sinter::Conv2d<3, 3>, sinter::ReLU, sinter::Flatten>, sinter::Path<'
                        'sinter::TakeInput<PictureAndWordsInputs, "words">, sinter::Embedding<7, 2>, sinter::Flatten>>, sinter::Linear<4>'),
    "Digits": (Digits, (1, 22, 22), "LeakyReLU<0.2>, sinter::Dropout<0.3>"),
    "Blocks": (lambda: nn.Sequential(Block(4, 4, 1), Block(4, 6, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 3)),
               (4, 8, 8), "Momentum<0.2>"),
    "Branches": (Branches, (2, 7, 5), "Concat<sinter::Path<sinter::Conv2d<3, 1>>"),
    "Options": (lambda: nn.Sequential(
        nn.Conv2d(4, 8, (3, 5), stride=(1, 2), padding=(1, 2), groups=2, dilation=(2, 1), bias=False), nn.GELU("tanh"),
        nn.GroupNorm(2, 8, eps=1e-4), nn.ELU(0.5), nn.ConvTranspose2d(8, 4, 2, 2, output_padding=1), nn.PReLU(4), nn.SiLU(),
        nn.InstanceNorm2d(4, affine=True), nn.MaxPool2d(3, 2, 1), nn.AdaptiveMaxPool2d((4, 5)), nn.Flatten(), nn.Linear(80, 12), nn.LayerNorm(12),
        nn.Softplus(2), nn.Unflatten(1, (3, 4)), nn.Conv1d(3, 5, 2), nn.BatchNorm1d(5), nn.Hardswish(), nn.Mish(), nn.SELU(), nn.CELU(0.5), nn.AvgPool1d(3), nn.Softsign(), nn.LogSigmoid(),
        nn.Flatten(1, -1), nn.ReLU6(), nn.Hardsigmoid(), nn.Hardtanh(-0.5, 0.55), nn.Identity(), nn.Linear(5, 4), nn.PReLU(), nn.Softmax(1)), (4, 12, 16), "Kernel<3, 5>"),
    "Names": (lambda: Named(), (4,), "Linear<4>"),
    "Words": (lambda: nn.Sequential(nn.Embedding(7, 3), nn.Flatten(), nn.Linear(12, 2)), (4,), "Embedding<7, 3>"),
    "Stepping": (Stepping, (13,), "struct SteppingShared_first : sinter::Shared<sinter::LSTMCell<4>> {};"),
    "Stepped": (Stepped, (11,), "Input<11>, sinter::LSTMCell<4>, sinter::Slice<0, 4>"),
    "Matched": (Matched, (5, 3), "MatrixProduct<sinter::Path<>, sinter::Path<sinter::Transpose<1, 2>>>, sinter::SoftmaxAlong<2>>, sinter::Path<>>, "
                "sinter::Activation<sinter::fn::Exp>, sinter::Activation<sinter::fn::Reciprocal>"),
    "Recurrent": (Recurrent, (6,), "GRU<4, sinter::NumLayers<2>, sinter::Bidirectional, sinter::DropoutBetween<0.2>, sinter::LearnedState>"),
    "Tagged": (Tagged, [(6, 3), (1,)], 'sinter::Recurrent<sinter::LSTM<4, sinter::Bidirectional>, sinter::Path<sinter::TakeInput<TaggedInputs, "x">>, '
               'sinter::Lengths<sinter::TakeInput<TaggedInputs, "lengths">>>, sinter::Tanh, sinter::GRU<5>'),
    "Reviewed": (Reviewed, (13,), "sinter::Lengths<sinter::Slice<0, 1>>, sinter::InitialState<"),
    "Captions": (Captions, [(4,), (6, 3)], "sinter::Recurrent<sinter::GRU<5, sinter::NumLayers<2>, sinter::FinalState>, sinter::Path<"),
    "Attending": (Attending, (5, 3), "MultiheadAttention<8, 2, sinter::Causal, sinter::WithDropout<0.25>>"),
    "Ordered": (Ordered, (7, 4), "PositionwiseLinear<6>, sinter::PositionalEncoding, "),
    "Siamese": (Siamese, (2, 8, 6), "struct SiameseShared_conv : sinter::Shared<sinter::Conv2d<3, 3, sinter::Padding<1>>> {};"),
    "Again": (Again, (4,), "AgainShared_layer, sinter::ReLU, AgainShared_layer>"),
    "TwoHeads": (TwoHeads, (6,), "Heads<sinter::Named<\"classes\", sinter::Path<sinter::Linear<3>, sinter::LogSoftmax>>"),
    "Mixed": (Mixed, (4,), "Path<sinter::Slice<2, 2>>"),
    "Parts": (Parts, (9, 3), "Slice<7, 2>"),
    "Gates": (Gates, (2, 8), "Product<sinter::Path<sinter::Conv1d<4, 3, sinter::Padding<1>>, sinter::Tanh>, sinter::Path<"),
    "Images": (Images, (1, 4, 4), "Heads<sinter::Path<sinter::Tanh>"),
    "Crossed": (Crossed, (4,), "Concat<sinter::Path<>, sinter::Path<sinter::Slice<4, 4>, sinter::Linear<4>>>"),
    "Skips": (Skips, (2, 4, 6), "Slice<144, 12>, sinter::Reshape<2, 2, 3>"),
    "Moved": (Moved, (2, 3, 4), "Slice<3, 12, 3>, sinter::Permute<0, 2, 3, 1>, sinter::Mean<3>, sinter::Flip<1>, "
              "sinter::LayerNorm<sinter::NormalizedShape<12>, sinter::Epsilon<0.001>>, sinter::RMSNorm<sinter::NormalizedShape<12>, sinter::Epsilon<1.1920928955078125e-07>>, "
              "sinter::SoftmaxAlong<1>, sinter::SoftmaxAlong<2>, sinter::Transpose<1, 2>, sinter::Sum<2>"),
    "Numbers": (Numbers, (3, 5), "Reshape<1, 15>, sinter::Conv1d<1, 1>, sinter::Reshape<3, 5>, "
                "sinter::Conv1d<3, 1, sinter::Groups<3>, sinter::NoBias>, sinter::Permute<0, 2, 1>, sinter::Conv1d<5, 1, sinter::Groups<5>>"),
    "Chosen": (Chosen, (2, 4, 6), "ReflectionPad2d<1, 0, 2, 1>, sinter::Slice<1, 5, 2>, sinter::Slice<2, 5, 3>, sinter::Hardtanh<-0.5, 0.75>, "),
    "Inverse": (Inverse, (6,), "Residual<sinter::Path<sinter::Activation<sinter::fn::Reciprocal>>, sinter::Shortcut<sinter::Activation<sinter::fn::Log>, "),
    "Half": (lambda: nn.Sequential(nn.Linear(5, 3), nn.Tanh()).to(torch.bfloat16), (5,), "Tanh"),
}


class Strided(nn.Module):
    def forward(self, x):
        return x[:, ::2]


class Rows(nn.Module):
    def forward(self, x):
        return x.mean((0, 2))


class Of(nn.Module):
    """A function."""

    def __init__(self, function):
        super().__init__()
        self.function, self.weight = function, nn.Parameter(torch.ones(3, 2))

    def forward(self, x):
        return self.function(x, self.weight)


class Named(nn.Module):
    """Layers with the names of functions."""

    def __init__(self):
        super().__init__()
        self.view, self.add, self.flatten = nn.Linear(4, 4), nn.Linear(4, 4), nn.Flatten(1, 1)

    def forward(self, x):
        return self.flatten(self.add(torch.relu(self.view(x))))


class Data(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


class Begun(nn.Module):
    """A cell that begins with what is computed."""

    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(4, 4, batch_first=True)

    def forward(self, x):
        return self.layer(x, x[:, :1].transpose(0, 1))[0]


class Twice(nn.Module):
    """One layer, which begins with zeros and with a parameter."""

    def __init__(self):
        super().__init__()
        self.layer, self.h = nn.GRU(4, 4, batch_first=True), nn.Parameter(torch.ones(1, 1, 4))

    def forward(self, x):
        return self.layer(self.layer(x)[0], self.h.expand(1, x.size(0), 4).contiguous())[0]


class Split(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(4, 2, num_layers=2, batch_first=True)

    def forward(self, x):
        return self.layer(x, torch.stack(x[:, -1].chunk(2, 1)))[0]


class Cell(nn.Module):
    """The state c of an LSTM; of a GRU, outputs and the final state of both directions at once."""

    def __init__(self, layer, value):
        super().__init__()
        self.layer, self.value = layer, value

    def forward(self, x):
        return self.value(self.layer(x))


def column(x, i):
    return x[:, i].long()


def of_table(self, x):
    """The usual network of a table: a category in each of two columns, and numbers."""
    return self.layer(torch.cat([self.town(column(x, 0)), self.kind(column(x, 1)), x[:, 2:]], 1))


def of_one_number(self, x):
    """Layers on values [N]: one number for each row, in all the ways in which it is got."""
    y = self.layer(x)
    values = [torch.sigmoid(y[:, 0]), torch.relu(y.sum(1)), y.mean(-1).tanh(), y.max(1)[0].sigmoid(), y[:, :1].reshape(-1).sigmoid(), y[:, 1:2].squeeze(-1).relu(),
              F.softplus(y[:, 1]), F.leaky_relu(y[:, 2] - 3), self.slope(y[:, 3]), self.drop(F.elu(y[:, 0])), F.gelu(y[:, 1]).clamp(0, 1)]
    return torch.cat([value.unsqueeze(1) for value in values], 1)


def added_to_input(self, x):
    x += 1.5
    return self.layer(x)


def added_to_its_transpose(self, x):
    y = self.layer(x).reshape(-1, 2, 2)
    z = y.transpose(1, 2)
    z += y
    return z


SELECTED = {
    "AddedToInput": (added_to_input, {}), "TinyNorm": (lambda self, x: self.norm(x * 1e-4), {"norm": nn.RMSNorm(4)}),
    "OneNumber": (of_one_number, {"slope": nn.PReLU(), "drop": nn.Dropout()}), "OneOutput": (lambda self, x: torch.sigmoid(self.layer(x)[:, 1:2].squeeze(-1)), {}),
    "OneTimes": (lambda self, x: torch.sigmoid(x[:, 0]) * x[:, 1] - torch.tanh(x[:, 2]) / (x[:, 3] + 1), {}), "OneSpread": (lambda self, x: torch.sigmoid(x[:, 2]).unsqueeze(1) * x, {}),
    "Last": (lambda self, x: self.layer(self.one(column(x, -1))), {}), "Added": (lambda self, x: self.one(column(x, 0)) + self.one(column(x, 1)), {}),
    "Beside": (lambda self, x: torch.cat([self.one(column(x, 0)), self.two(column(x, 1))], 1), {"two": nn.Embedding(5, 3)}),
    "Counted": (lambda self, x: self.layer(torch.cat([self.two(column(x, 0)), x[:, 1:]], 1)), {"two": nn.Embedding(7, 2), "layer": nn.Linear(5, 3)}),
    "Table": (of_table, {"town": nn.Embedding(9, 4), "kind": nn.Embedding(3, 2), "layer": nn.Linear(8, 3)}),
    "NormedColumn": (lambda self, x: self.norm(self.one(column(x, 0))), {"norm": nn.BatchNorm1d(4)}), "LayerNormed": (lambda self, x: self.norm(self.one(column(x, 0))), {"norm": nn.LayerNorm(4)}),
    "Likely": (lambda self, x: self.one(column(x, 0)).softmax(1), {}), "Positive": (lambda self, x: self.one(column(x, 0)).relu(), {}),
    "GatedColumn": (lambda self, x: self.one(column(x, 0)) * torch.sigmoid(self.layer(x)), {}), "Plus": (lambda self, x: self.one(column(x, 0)) + self.layer(x), {}),
    "Kept": (lambda self, x: self.layer(self.one(x[:, 0:1].long()).flatten(1)), {}), "Unbiased": (lambda self, x: self.norm(self.layer(x)), {"norm": nn.BatchNorm1d(4)}),
    "AttendedByName": (lambda self, x: (lambda y: self.block(src=self.of(query=y, key=y, value=y, need_weights=False)[0]).flatten(1))(x.view(-1, 2, 2)),
                       {"of": nn.MultiheadAttention(2, 1, batch_first=True), "block": nn.TransformerEncoderLayer(2, 1, 3, batch_first=True)}),
    "Alone": (lambda self, x: torch.cat([self.layer(x)], 1), {}),
    "ByName": (lambda self, x: torch.cat(tensors=[F.relu(input=self.layer(input=x)), torch.flatten(input=torch.chunk(input=x[0:], chunks=2, dim=1)[0], start_dim=1),
                                                  torch.clamp(input=torch.mul(input=x, other=x), min=0.5), F.dropout(x, 0.0)], dim=1), {}),
}


class Written(nn.Module):
    """A forward() that is a function of the module and its input."""

    def __init__(self, function, **layers):
        super().__init__()
        self.function = function
        self.layer = nn.Linear(4, 4)
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, x):
        return self.function(self, x)


def as_statement(function):
    """forward() changes a value by a function, and goes on with the value."""
    def forward(self, x):
        y = self.layer(x)
        function(y)
        return y
    return forward


def added_under_two_names(self, x):
    y = self.layer(x)
    z = y
    z += 1.5
    return y * 2 + z


def added(self, x):
    y = self.layer(x)
    y += x
    return F.relu(y, inplace=True).clamp_(max=1)


def half_changed(self, x):
    a, b = self.layer(x).chunk(2, 1)
    F.relu(a, inplace=True)
    return b


def restless(p):
    """A dropout that eval() does not reach."""
    layer = nn.Dropout(p)
    layer.train = lambda mode=True: layer
    return layer


def hooked():
    layer = nn.Linear(4, 4)
    layer.register_forward_hook(lambda module, given, made: made * 2)
    return layer


def frozen():
    """What only a further training sees: comments say so."""
    model = nn.Sequential(nn.Embedding(7, 4, padding_idx=0, scale_grad_by_freq=True), nn.Linear(4, 7, bias=False), nn.Flatten(), nn.BatchNorm1d(21), nn.Linear(21, 2))
    model[1].weight = model[0].weight
    model[4].bias.requires_grad = False
    model[3].eval()
    return model


def unseen(self, x):
    with torch.no_grad():
        y = torch.tanh(self.layer(x))
    return self.last(y)


FROZEN = ("0.weight and 1.weight are one parameter; here each", "not trained (requires_grad=False), and trained here: 4.bias.", "row 0 of 0 is not trained", "gradients of 0 are divided",
          "3 is in evaluation mode")
IN_PLACE, OF_RANDOM = "changes a value in place, and", "gives other numbers each time that it is called"
INEXACT = [
    (Written(lambda self, x: x + self.layer(self.relu(x)), relu=nn.ReLU(inplace=True)), (4,), f"layer 'relu' of type ReLU {IN_PLACE} function 'add' in forward() reads"),
    (Written(lambda self, x: (F.relu_(x), self.layer(x))[1]), (4,), f"function 'relu_' in forward() {IN_PLACE} layer 'layer' of type Linear reads"),
    *[(Written(as_statement(function)), (4,), f"{IN_PLACE} what forward() returns reads that value afterwards") for function in (
        lambda y: F.relu(y, inplace=True), lambda y: y.clamp_(min=0), lambda y: y.abs_(), lambda y: y.mul_(2), lambda y: torch.add(y, 1, out=y), lambda y: y.view(-1, 2).relu_(),
        lambda y: F.elu_(y), lambda y: y.zero_(), lambda y: y.copy_(y.flip(1)), lambda y: torch.relu_(y[:, 1:]))],
    (Written(lambda self, x: (lambda y: y + self.drop(y))(self.layer(x)), drop=nn.Dropout(inplace=True)), (4,), f"layer 'drop' of type Dropout {IN_PLACE}"),
    (Written(lambda self, x: self.layer(x) + self.count.add_(1), count=nn.Parameter(torch.zeros(4), False)), (4,), "changes 'count' of the model in place"),
    (Written(added_to_its_transpose), (4,), "Written does not take samples of the sizes (4,): unsupported operation: some elements of the input tensor and the written-to tensor"),
    (Written(added_under_two_names), (4,), "computes something else than what torch.fx traces of it, as where x += y changes"),
    (nn.Sequential(hooked()), (4,), "layer '0' of type Linear has hooks, which may change what it computes"),
    (nn.Sequential(nn.utils.weight_norm(nn.Linear(4, 4))), (4,), "call torch.nn.utils.remove_weight_norm first"),
    (nn.Sequential(nn.utils.spectral_norm(nn.Linear(4, 4))), (4,), "call torch.nn.utils.remove_spectral_norm first"),
    (nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(4, 4))), (4,), "call torch.nn.utils.parametrize.remove_parametrizations(layer, 'weight') first"),
    *[(Written(lambda self, x, drop=drop: drop(x.reshape(-1, 1, 2, 2))), (4,), "has training=True, so that its numbers are random, also after eval()") for drop in (
        F.dropout, lambda x: F.dropout(x, 1e-9), lambda x: F.dropout(x, 0.5, True), lambda x: F.dropout(input=x, p=0.1, training=True), F.dropout2d, lambda x: F.dropout2d(x, p=0.25))],
    *[(Written(lambda self, x, drop=drop: drop(x.reshape(-1, 1, 2, 2), 0.5, True)), (4,), f"function '{drop.__name__}' in forward() is not known") for drop in (
        F.alpha_dropout, F.feature_alpha_dropout, torch.dropout, torch.feature_dropout, torch.alpha_dropout)],
    (nn.Sequential(restless(1e-9)), (4,), "layer '0' of type Dropout stays in training mode after model.eval()"),
    (nn.Sequential(nn.Flatten(), restless(0.5)), (4,), "layer '1' of type Dropout stays in training mode"), (Written(lambda self, x: self.layer(x) + torch.rand(4)), (4,), OF_RANDOM),
    (Written(lambda self, x: self.layer(x) - self.layer(x).mean()), (4,), "moves or reduces dim=0, the rows of a batch"),
    (Written(lambda self, x: self.layer(x) * x.size(0)), (4,), "multiplies something else"),
]
class Stacked(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 4), nn.Linear(3, 4)

    def forward(self, x):
        return torch.stack([self.a(x), self.b(x)], 1)


def without(layer, *names):
    """A layer whose parameters of these names were taken out afterwards."""
    for name in names:
        setattr(layer, name, None)
    return layer


def widened(layer):
    """A layer whose weights were replaced by larger ones."""
    layer.weight, layer.bias = nn.Parameter(torch.rand(5, 4)), nn.Parameter(torch.rand(5))
    return layer


def filled(layer, **tensors):
    for name, number in tensors.items():
        layer.state_dict()[name].fill_(number)
    return layer


class Doubled(nn.Linear):
    def forward(self, x):
        return 2 * super().forward(x)


# Functions of the user's, with names of PyTorch's.
@torch.fx.wrap
def log(x):
    return torch.log(x.abs() + 2)


@torch.fx.wrap
def square(x):
    return x * x / 2


@torch.fx.wrap
def clamp(x, min=0, max=1):
    return torch.clamp(x, min - 1, max + 1)


@torch.fx.wrap
def pow(x, y):
    return x * y


BAND = torch.where((torch.arange(4)[:, None] - torch.arange(4)).abs() <= 1, 0.0, float("-inf"))
OF_TWO_SIZES = "does not take samples of [4]: it takes samples of 2 sizes; samples are without the batch"
SELF = nn.MultiheadAttention(4, 2, batch_first=True)
UNLIKE = [
    *[(Written(function), (4,), f"function '{name}' in forward() is not known") for name, function in (
        ("log", lambda self, x: log(x)), ("square", lambda self, x: square(x)), ("clamp", lambda self, x: clamp(x)), ("pow", lambda self, x: pow(x, 3)))],
    *[(nn.Sequential(nn.Upsample(scale_factor=scale, mode=mode)), shape, f"layer '0' of type Upsample has scale_factor={scale}, by which PyTorch interpolates") for scale, mode, shape in (
        (2.1, "bilinear", (2, 4, 4)), (2.1, "nearest", (2, 4, 4)), (3.2, "linear", (2, 4)))],
    *[(Written(lambda self, x, need=need: self.of(x, x, x, attn_mask=self.band, is_causal=True, need_weights=need)[0], of=SELF, band=nn.Parameter(BAND, False)), (4, 4),
       "layer 'of' of type MultiheadAttention has is_causal=True with another attn_mask than the causal one") for need in (True, False)],
    (Written(lambda self, x: self.of(x, x, x, torch.zeros(2, 4) > 0)[0], of=SELF), (4, 4), "layer 'of' of type MultiheadAttention has key_padding_mask; sinter's has a causal mask"),
    (Written(lambda self, x: self.of(query=x, key=x, value=x * 2)[0], of=SELF), (4, 4), "layer 'of' of type MultiheadAttention is given several values"),
    *[(nn.Sequential(without(layer, "weight")), shape, f"layer '0' of type {type(layer).__name__} has a bias and no weight; sinter's has both, or none") for layer, shape in (
        (nn.BatchNorm1d(4), (4,)), (nn.LayerNorm(4), (3, 4)), (nn.GroupNorm(2, 4), (4, 3)))],
    (nn.Sequential(without(nn.BatchNorm1d(4), "running_mean", "running_var")), (4,), "layer '0' of type BatchNorm1d has no running_mean or running_var"),
    (nn.Sequential(filled(nn.BatchNorm1d(4), running_var=-1e-6)), (4,), "layer '0' of type BatchNorm1d has a running_var of -1e-06; it must be 0 or more"),
    (Written(lambda self, x: x * 1e300), (4,), "a constant of forward(), as floats, has infinities, or what is no number"),
    (nn.Sequential(nn.Linear(4, 2), nn.ReLU(), filled(nn.Linear(2, 2), weight=float("inf"))), (4,), "weight of layer '2' of type Linear has infinities, or what is no number"),
    (nn.Sequential(filled(nn.Linear(4, 4), weight=3e38), filled(nn.Linear(4, 4), weight=3e38)), (4,), "Sequential gives infinities, or what is no number, for all rows that were tried"),
    (Written(lambda self, x: F.softmax(x, 1, dtype=torch.float16)), (4,), "function 'softmax' in forward() has dtype=torch.float16; sinter computes in 32-bit floats"),
    (Written(lambda self, x: x.sum(1, dtype=torch.float16)), (4,), "function 'sum' in forward() has dtype=torch.float16"),
    (Written(lambda self, x: torch.cat([x, x[:, 4:2]], 1)), (4,), "function 'getitem' in forward() takes no numbers along dim=1; sinter's Slice takes one or more"),
    (Written(lambda self, x: x[:, True]), (4,), "function 'getitem' in forward() takes (slice(None, None, None), True); sinter's Slice takes neighbouring numbers"),
    (nn.Sequential(nn.Linear(4, 0)), (4,), "layer '0' of type Linear: sinter's Linear<0> does not take samples of [4]: they would become [0]"),
    (nn.Sequential(widened(nn.Linear(4, 3))), (4,), "layer '0' of type Linear gives samples of (5,), and says of itself that they are (3,), as where its weights were replaced"),
    *[(nn.Sequential(layer), (4,), f"layer '0' of type {type(layer).__name__}: sinter's {text} {OF_TWO_SIZES}") for layer, text in (
        (nn.InstanceNorm1d(4), "InstanceNorm1d"), (nn.MaxPool1d(2), "MaxPool1d<2>"), (nn.ReflectionPad1d(1), "ReflectionPad1d<1>"))],
    (nn.Sequential(nn.AvgPool2d(2)), (4, 4), "layer '0' of type AvgPool2d: sinter's AvgPool2d<2> does not take samples of [4, 4]: it takes samples of 3 sizes"),
    (Written(lambda self, x: self.of(x)[0], of=nn.LSTM(4, 3, batch_first=True)), (4,), f"layer 'of' of type LSTM: sinter's LSTM<3> {OF_TWO_SIZES}"),
    (Written(lambda self, x: self.of(x, x, x)[0], of=SELF), (4,), f"layer 'of' of type MultiheadAttention: sinter's MultiheadAttention<4, 2> {OF_TWO_SIZES}"),
    (nn.Sequential(Doubled(4, 3)), (4,), "function 'linear' in forward() is not known; call a layer of torch.nn for it, if it is one of these: "),
]
REFUSED = [
    *UNLIKE,
    (Written(lambda self, x: torch.softmax(x[:, 0], -1)), (4,), "function 'softmax' in forward() goes along dim=-1 of one number for each row, the rows of a batch"),
    (Written(lambda self, x: F.glu(x[:, 0], -1)), (4,), "function 'glu' in forward() goes along dim=-1 of one number for each row"),
    (Written(lambda self, x: x[:, 1] - x[:, 0].mean(-1)), (4,), "function 'mean' in forward() moves or reduces dim=0"),
    (Written(lambda self, x: torch.cat([torch.relu(x[:, 0]), x[:, 1]])), (4,), "function 'cat' in forward() puts together dim=0"),
    (Stacked(), (3,), "function 'stack' in forward() is not known"),
    *INEXACT,
    (Written(as_statement(lambda y: y.detach_())), (4,), "function 'detach_' in forward() stops gradients, which sinter's layers do not"),
    (Written(lambda self, x: self.one(x).sum(1), one=nn.Embedding(4, 2)), (2, 3), "layer 'one' of type Embedding has indices of the sizes (2, 3); sinter's takes a row of indices"),
    (Written(lambda self, x: x.view(2, 2, 2, 6, 6).transpose(1, 2).reshape(2, 4, 6, 6)), (4, 6, 6), "function 'view' in forward() gives samples of (2, 2, 6, 6); sinter's have one to three sizes"),
    (nn.Sequential(nn.LeakyReLU(float("inf"))), (4,), "a number that is inf; sinter's layers have finite ones"),
    (Packed(last_step, batch_first=True), (13,), "layer 'layer' of type GRU has rows of fewer steps, and the last step or both"),
    (Packed(lambda y, h: h[-1], lambda x: (x > 0).sum(1), batch_first=True), (13,), "the lengths of packed sequences are computed"),
    (Packed(lambda y, h: pad_packed_sequence(y, batch_first=True)[0], batch_first=True), (13,), "pad_packed_sequence is not given a total_length"),
    (Packed(lambda y, h: pad_packed_sequence(y, batch_first=True, total_length=5)[0], batch_first=True), (13,), "has total_length=5 for sequences of 3 steps"),
    (Packed(lambda y, h: h[-1]), (13,), "pack_padded_sequence has batch_first=False; sinter has the rows of a batch first"),
    (PictureAndWords(), (3,), "forward() takes 2 inputs, and sizes were given for 1"),
    (nn.Sequential(nn.TransformerEncoderLayer(4, 2, 8)), (3, 4), "layer '0' of type TransformerEncoderLayer has batch_first=False"),
    (nn.Sequential(nn.Linear(4, 4)), (2, 3, 4), "has samples of (2, 3, 4); sinter's takes rows of features"),
    (Cell(nn.LSTM(4, 2, batch_first=True), lambda out: out[1][1][-1]), (3, 4), "layer 'layer' of type LSTM gives a value that is not known here; "
     "sinter's gives its outputs, or its final state"),
    (Cell(nn.GRU(4, 2, bidirectional=True, batch_first=True), lambda out: (out[0], torch.cat([out[1][-2], out[1][-1]], 1))), (3, 4),
     "layer 'layer' of type GRU gives its outputs and the final state of both directions; sinter's gives one of them"),
    (Cell(nn.GRU(4, 2), lambda out: out[0]), (3, 4), "layer 'layer' of type GRU has batch_first=False"),
    (Cell(nn.RNN(4, 2, nonlinearity="relu", batch_first=True), lambda out: out[0]), (3, 4), "of type RNN has nonlinearity='relu'"),
    (Cell(nn.GRUCell(4, 2), lambda out: out), (4,), "layer 'layer' of type GRUCell is not given x and h, which sinter's takes"),
    (nn.Sequential(nn.Linear(4, 4), nn.Hardshrink()), (4,), "layer '1' of type Hardshrink is not known; these are: "),
    (Twice(), (3, 4), "layer 'layer' of type GRU is in several places, as GRU<4> and as GRU<4, LearnedState> or with other parameters"),
    (Split(), (3, 4), "layer 'layer' of type GRU is given an initial state; sinter's is 0"),
    (Begun(), (3, 4), "layer 'layer' of type GRU is given an initial state; sinter's is 0, a parameter of the shape [layers, 1, hidden]"),
    (nn.Sequential(nn.LSTM(4, 2)), (3, 4), "forward() returns something else than values"),
    (nn.Sequential(nn.Conv2d(1, 1, 3, padding=1, padding_mode="reflect")), (1, 4, 4), "layer '0' of type Conv2d has padding_mode='reflect'"),
    (nn.Sequential(nn.MaxPool2d(2, ceil_mode=True)), (1, 5, 5), "layer '0' of type MaxPool2d has ceil_mode=True"),
    (nn.Sequential(nn.Softmax(0)), (3, 4), "layer '0' of type Softmax has dim=0, the rows of a batch"),
    (Of(lambda x, w: x * x.size(1)), (4,), "function 'mul' in forward() multiplies something else than two values, or a value and numbers that are constant"),
    (Of(lambda x, w: torch.add(x, 1, alpha=2)), (4,), "function 'add' in forward() has alpha=2; sinter has no such option"),
    (Of(lambda x, w: torch.div(x, 2, rounding_mode="floor")), (4,), "function 'div' in forward() has rounding_mode=floor; sinter has no such option"),
    (torch.nn.DataParallel(nn.Linear(4, 4)), (4,), "the model is a DataParallel, which computes by another one: convert that one, model.module"),
    (torch.optim.swa_utils.AveragedModel(nn.Linear(4, 4)), (4,), "convert that one, model.module"),
    (nn.Sequential(nn.LazyLinear(4)), (4,), "'0.weight', '0.bias' of the model have no sizes yet; call the model once"),
    (Of(lambda x, w: x + w), (3, 1), "function 'add' in forward() adds samples of (3, 1) and numbers that make them larger"),
    (Of(lambda x, w: x * x.mean((1, 2))), (2, 2), "function 'mul' in forward() multiplies values of the shapes (2, 2) and (1,), one of them without the rows"),
    (Of(lambda x, w: torch.log(0 * x)), (4,), "Of gives infinities, or what is no number, for all rows that were tried"),
    (Of(lambda x, w: x ** 1e10), (4,), "function 'pow' in forward() is not to the power of a number"),
    (Of(lambda x, w: 2 ** x), (4,), "function 'pow' in forward() is not to the power of"),
    (Of(lambda x, w: torch.maximum(x, torch.tensor([0.5, 1.0, 2.0, 3.0]))), (4,),
     "function 'maximum' in forward() takes the larger of a value and numbers; torch.clamp does, or a ReLU"),
    (Of(lambda x, w: x ** x), (4,), "function 'pow' in forward() is given several values; sinter's takes one, and numbers"),
    (Of(lambda x, w: x.clamp(w, w + 1)), (3, 2), "function 'clamp' in forward() has bounds that are not numbers"),
    (Of(lambda x, w: x.amax()), (4,), "function 'amax' in forward() moves or reduces dim=0, the rows of a batch"),
    (Of(lambda x, w: x.max(1)[1]), (4,), "function 'max' in forward() gives the places of numbers"),
    (Of(lambda x, w: x.amin((1, 2))), (300, 300), "function 'amin' in forward(): it takes the largest or smallest of 90000 numbers"),
    (Of(lambda x, w: F.pad(x, (1, 1), value=2.0)), (2, 4), "function 'pad' in forward() pads in the mode 'constant' with 2.0"),
    (Of(lambda x, w: F.pad(x, (1, 1), "circular")), (2, 4), "function 'pad' in forward() pads in the mode 'circular'"),
    (Of(lambda x, w: F.pad(x, (-1, 0))), (2, 4), "function 'pad' in forward() pads by (-1, 0) samples of (2, 4)"),
    (Of(lambda x, w: x[:, [0, 2]]), (4,), "function 'getitem' in forward() takes (slice(None, None, None), [0, 2])"),
    (Of(lambda x, w: x[1:]), (4,), "function 'getitem' in forward() takes rows of a batch"),
    (Of(lambda x, w: torch.cat(x.chunk(2, 2)[::-1], 1)), (2, 4), "function 'cat' in forward() is given a tuple as one value"),
    (nn.Sequential(nn.AdaptiveMaxPool2d((2, None))), (1, 4, 4), "layer '0' of type AdaptiveMaxPool2d has an output size of None"),
    (Strided(), (4,), "function 'getitem' in forward() takes every number 2 along dim=1; sinter's Slice takes neighbouring ones"),
    (Rows(), (4, 3), "function 'mean' in forward() moves or reduces dim=0, the rows of a batch"),
    (nn.Sequential(nn.Upsample(scale_factor=1.5)), (1, 4, 4), "layer '0' of type Upsample has samples of (1, 6, 6) made of (1, 4, 4)"),
    (Data(), (4,), "torch.fx cannot trace Data"),
    (nn.Sequential(nn.Linear(4, 4)), (5,), "Sequential does not take samples of the sizes (5,): "),
    *[(Written(function), shape, "function 'getitem' in forward() takes rows of a batch") for function, shape in (
        (lambda self, x: x[0:2, 1:], (4,)), (lambda self, x: x[-2:], (4,)), (lambda self, x: torch.split(x, 2)[0], (4,)))],
    (Written(lambda self, x: torch.narrow(x, 0, 0, 2)), (4,), "function 'narrow' in forward() takes rows of a batch"),
    (Written(lambda self, x: x + self.rows, rows=nn.Parameter(torch.ones(2, 1, 2))), (2, 2), "function 'add' in forward() adds something else than two values"),
    *[(Written(lambda self, x, bounded=bounded: bounded(x)), (4,), text) for bounded, text in (
        (lambda x: x.clamp(1, -1), "function 'clamp' in forward(): Hardtanh<1.0, -1.0> is no layer of sinter: its low is smaller than its high"), (lambda x: torch.clamp(x, 0.5, 0.5), "its low is smaller"),
        (lambda x: x.clip(0, 0), "function 'clip' in forward(): Hardtanh<0.0, 0.0> is"), (lambda x: F.softplus(x, -1), "function 'softplus' in forward(): Softplus<-1.0, 20.0> is no layer of sinter: its beta is finite and above 0"),
        (lambda x: F.elu(x, -1.0), "function 'elu' in forward(): ELU<-1.0> is no layer of sinter: its alpha is finite, and 0 or more"))],
    (nn.Sequential(nn.ELU(-0.5)), (4,), "layer '0' of type ELU: ELU<-0.5> is no layer of sinter: its alpha is finite, and 0 or more"),
    (nn.Sequential(nn.TransformerEncoderLayer(4, 2, 5, 0.1, nn.GELU("tanh"), batch_first=True)), (3, 4), "layer '0' of type TransformerEncoderLayer has an activation other than relu and gelu"),
    (nn.Sequential(nn.Conv1d(1, 1, 2, stride=2**40)), (1, 4), "layer '0' of type Conv1d: Conv1d<1, 2, Stride<1099511627776>> is no layer of sinter: its numbers and what its window "
     "reaches over are up to 16,777,216"),
    (nn.Sequential(nn.BatchNorm1d(4, momentum=1.5)), (4,), "layer '0' of type BatchNorm1d: BatchNorm1d<Momentum<1.5>> is no layer of sinter: its Epsilon is above 0, its Momentum between 0 and 1"),
    (nn.Sequential(nn.TransformerEncoderLayer(4, 2, 5, 1.0, batch_first=True)), (3, 4), "WithDropout<1.0>> is no layer of sinter: its WithDropout is 0 or more, and below 1"),
    (nn.Sequential(nn.Linear(4, 4)), (2, 2, 2, 4), "were given; give (features,)"),
]

def scramble(model):
    """Weights and running statistics as a training leaves them: none is 0 or 1. Masks stay."""
    for tensor in model.state_dict().values():
        if tensor.is_floating_point() and tensor.isfinite().all():
            tensor.copy_(torch.rand(tensor.shape) - 0.5 if tensor.min() <= 0 or tensor.dim() > 1 else torch.rand(tensor.shape) + 0.5)


def main():
    cxx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    torch.manual_seed(2)
    torch.set_num_threads(1)
    wanted, good = {}, True
    for name, (make, shape, text) in MODELS.items():
        model = make()
        with torch.no_grad():
            scramble(model)
        if name == "Words":  # by the command line
            torch.save(model, folder / "words.pt")
            subprocess.run([sys.executable, root / "tools" / "from_pytorch.py", folder / "words.pt", name,
                            "x".join(map(str, shape)), folder], check=True)
        else:
            from_pytorch.convert(model, shape, name, folder)
        good &= check(text in converted.struct_of(folder / f"{name}.hpp"), f"{name}: the header says {text}")
        good &= check(model.training, f"{name}: the model is as it was")
        if name == "PictureAndWords":
            given = [torch.rand(9, *shape[0]) * 2 - 1, torch.randint(0, 7, (9, *shape[1]))]
            x = torch.cat([part.reshape(9, -1) for part in given], 1)
            given[0] = given[0].double()
        elif name in ("Tagged", "Reviewed"):
            given = [torch.rand(9, *size).double() * 2 - 1 for size in (shape if isinstance(shape, list) else [shape])]
            given[-1][:, 0] = torch.arange(9) % (6 if name == "Tagged" else 4) + 1
            x = torch.cat([part.reshape(9, -1) for part in given], 1)
            if name == "Tagged":
                given[1] = given[1].long().reshape(-1)
        elif isinstance(shape, list):
            given = [torch.rand(9, *size).double() * 2 - 1 for size in shape]
            x = torch.cat([part.reshape(9, -1) for part in given], 1)
        else:
            x = torch.randint(0, 7, (9, *shape)) if name in ("Words", "Mixed", "Recurrent") else torch.rand(9, *shape) + 0.25 if name == "Inverse" else torch.rand(9, *shape) * 2 - 1
            given = [x if name in ("Words", "Recurrent") else x.double()]
        with torch.no_grad():
            y = model.eval().double()(*given)
        parts = list(y.values()) if isinstance(y, dict) else y if isinstance(y, tuple) else [y]
        wanted[name] = torch.cat([part.reshape(9, -1) for part in parts], 1).reshape(-1)
        (folder / f"{name}.rows").write_bytes(struct.pack(f"{x.numel()}f", *x.reshape(-1).tolist()))

    for name, (function, layers) in SELECTED.items():
        model = Written(function, **({"one": nn.Embedding(4, 4)} | layers))
        if name == "Unbiased":
            model.norm.register_parameter("bias", None)
        scramble(model)
        from_pytorch.convert(model, (4 if name != "Last" else 5,), name, folder)
        if name == "TinyNorm":
            model.norm.eps = torch.finfo(torch.float32).eps
        x = torch.randint(0, 3, (9, 4 if name != "Last" else 5)).double()
        x[:, 2:] += 0 if name == "Last" else torch.rand(9, 2)
        with torch.no_grad():
            wanted[name] = model.eval().double()(x.clone()).reshape(-1)
        (folder / f"{name}.rows").write_bytes(struct.pack(f"{x.numel()}f", *x.reshape(-1).tolist()))
    for function in (added, half_changed):
        from_pytorch.convert(Written(function), (4,), "Changed", folder)  # what is changed in place and not read again by its old name is taken
    for name, values in converted.outputs(cxx, root, folder, list(wanted)).items():
        given, numbers = torch.tensor(values, dtype=torch.float64), wanted[name]
        error = ((given - numbers).norm() / numbers.norm()).item()
        good &= check(error < 2e-6, f"{name}: sinter gives what PyTorch gives, relative error {error:.1e}")

    for line in ("sinter::Conv2d<4, 5>,  // conv1 [4, 18, 18]\n", "sinter::Linear<10>,  // fc2 [10]\n    sinter::LogSoftmax> {};  // log_softmax [10]\n"):
        good &= check(line in (folder / "Digits.hpp").read_text(), "Digits: comments name the layers and the shapes")

    model = frozen()
    from_pytorch.convert(model, (3,), "Frozen", folder)
    header = (folder / "Frozen.hpp").read_text()
    good &= check(all(f"// In PyTorch {text}" in header for text in FROZEN), "Frozen: the header says what a training does otherwise")
    good &= check([module.training for module in model.modules()] == [True, True, True, True, False, True], "Frozen: each layer is in the mode in which it was")

    from_pytorch.convert(Written(unseen, last=nn.Linear(4, 2)), (4,), "Unseen", folder)
    text = "// In PyTorch no gradient reaches layer.weight, layer.bias (torch.no_grad()); here it does."
    good &= check(text in (folder / "Unseen.hpp").read_text(), "Unseen: the header says what is not trained")

    from_pytorch.convert(FromZeros(), (5, 3), "FromZeros", folder)
    good &= check(converted.struct_of(folder / "FromZeros.hpp").endswith("Input<5, 3>, sinter::GRU<4>, sinter::LSTM<5, sinter::NumLayers<2>>> {};\n"), "FromZeros: its states of zeros are those of sinter")
    good &= check(torch.get_default_dtype() == torch.float32, "FromZeros: the type of new tensors is what it was")

    for model, shape, text in REFUSED:
        try:
            from_pytorch.convert(model, shape, "Refused", folder)
            said = "(nothing)"
        except from_pytorch.Refused as problem:
            said = str(problem)
        good &= check(text in said, f"refused: {said[:150]}")
    for content, text in ((b"no model", "cannot be read as what torch.save(model, ..) wrote: "), (b"", "cannot be read as what torch.save(model, ..) wrote: ")):
        (folder / "refused.pt").write_bytes(content)
        said = subprocess.run([sys.executable, root / "tools" / "from_pytorch.py", folder / "refused.pt", "Refused", "4", folder], capture_output=True, text=True).stderr
        good &= check(said.startswith("from_pytorch: ") and text in said and "Traceback" not in said, f"refused: {said[:150]}")
    good &= check(not (folder / "Refused.hpp").exists(), "what is refused writes nothing")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
