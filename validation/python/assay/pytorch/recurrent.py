"""Rows of recurrent networks: cells, and the loops over time, layers and directions of torch.nn.RNN, LSTM and GRU."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from .products import linear


def _parts(x: Any, n: int) -> List[Any]:
    size = x.shape[-1] // n
    return [x[..., k * size : (k + 1) * size] for k in range(n)]


def lstm_cell(
    xp: Any, input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None, w_hr: Any = None
) -> Tuple[Any, Any]:
    h, c = hx
    i, f, g, o = _parts(linear(xp, input, w_ih, b_ih) + linear(xp, h, w_hh, b_hh), 4)
    c = xp.sigmoid(f) * c + xp.sigmoid(i) * xp.tanh(g)
    h = xp.sigmoid(o) * xp.tanh(c)
    return (h if w_hr is None else linear(xp, h, w_hr)), c


def gru_cell(xp: Any, input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    r, z, n = _parts(linear(xp, input, w_ih, b_ih), 3)
    r_h, z_h, n_h = _parts(linear(xp, hx, w_hh, b_hh), 3)
    r, z = xp.sigmoid(r + r_h), xp.sigmoid(z + z_h)
    n = xp.tanh(n + r * n_h)
    return (1 - z) * n + z * hx


def _simple_cell(activation: Any) -> Any:
    def cell(xp: Any, input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
        return activation(xp, linear(xp, input, w_ih, b_ih) + linear(xp, hx, w_hh, b_hh))

    return cell


def _direction(
    xp: Any, cell: Any, steps: Sequence[Any], state: Any, weights: Sequence[Any], is_backward: bool
) -> Tuple[List[Any], Any]:
    outputs = []
    for one in reversed(steps) if is_backward else steps:
        state = cell(xp, one, state, *weights)
        outputs.append(state[0] if isinstance(state, tuple) else state)
    return (outputs[::-1] if is_backward else outputs), state


def _network(cell: Any, is_lstm: bool) -> Any:
    def row(
        xp: Any,
        input: Any,
        hx: Any,
        params: Sequence[Any],
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> Any:
        """Input [T, B, H] or, with batch_first, [B, T, H]; states [layers directions, B, H]."""
        if train and dropout > 0:
            raise ValueError("dropout between the layers in training mode draws random numbers: call eval() of the module")
        axis, directions = (1 if batch_first else 0), (2 if bidirectional else 1)
        steps = [xp.take(input, t, axis=axis) for t in range(input.shape[axis])]
        each = len(params) // (num_layers * directions)
        ends: List[Any] = []
        for layer in range(num_layers):
            found = []
            for side in range(directions):
                k = layer * directions + side
                weights = _weights_of(params[k * each : (k + 1) * each], has_biases)
                state = (hx[0][k], hx[1][k]) if is_lstm else hx[k]
                outputs, end = _direction(xp, cell, steps, state, weights, side == 1)
                found.append(outputs)
                ends.append(end)
            steps = found[0] if directions == 1 else [xp.concat(pair, axis=-1) for pair in zip(*found)]
        output = xp.stack(steps, axis=axis)
        if is_lstm:
            return output, xp.stack([one[0] for one in ends]), xp.stack([one[1] for one in ends])
        return output, xp.stack(ends)

    return row


def _weights_of(given: Sequence[Any], has_biases: bool) -> List[Optional[Any]]:
    """w_ih, w_hh, b_ih, b_hh and, of a projected LSTM, w_hr."""
    weights: List[Optional[Any]] = list(given[: 4 if has_biases else 2])
    projection = given[len(weights) :]
    return [*weights, *([None] * (4 - len(weights))), *projection] if projection else weights


_tanh_cell = _simple_cell(lambda xp, x: xp.tanh(x))
_relu_cell = _simple_cell(lambda xp, x: xp.maximum(x, 0))

ROWS: Dict[str, Any] = {
    "lstm_cell": lstm_cell, "gru_cell": gru_cell, "rnn_tanh_cell": _tanh_cell, "rnn_relu_cell": _relu_cell,
    "lstm": _network(lstm_cell, True),
    "gru": _network(gru_cell, False), "rnn_tanh": _network(_tanh_cell, False), "rnn_relu": _network(_relu_cell, False),
}  # fmt: skip
