"""Roads to the results of the gallery's operations other than their formulas: formulas too, in the names of the array API."""


def layer_norm_of_two_products(xp, x, weight, bias):
    """x r - mean r, whose difference cancels where the spread is small beside the mean."""
    mean = xp.mean(x, axis=-1, keepdims=True)
    d = x - mean
    r = 1 / xp.sqrt(xp.mean(d * d, axis=-1, keepdims=True) + 2.0**-17)
    return (x * r - mean * r) * weight + bias


def cumulative_by_doubling(xp, x):
    out, step = [x[:, t] for t in range(x.shape[1])], 1
    while step < len(out):
        out = [xp.logaddexp(one, out[t - step]) if t >= step else one for t, one in enumerate(out)]
        step *= 2
    return xp.stack(out, axis=1) if out else x


def cumulative_gradient_of_pairs(xp, x, upstream):
    """The share of each element in each later total, from their logarithms."""
    total = [x[:, t] for t in range(x.shape[1])]
    for t in range(1, len(total)):
        total[t] = xp.logaddexp(total[t - 1], total[t])
    out = [xp.sum(xp.stack([upstream[:, t] * xp.exp(x[:, i] - total[t]) for t in range(i, len(total))], axis=0), axis=0)
           for i in range(len(total))]  # fmt: skip
    return xp.stack(out, axis=1) if out else x


def _unit_keys(xp, k):
    return k / xp.sqrt(xp.sum(k * k, axis=-1, keepdims=True) + 2.0**-10)


def delta_by_matrices(xp, q, k, v, decay, beta):
    """Each step as a product: (I - beta k k^T) (decay S) + beta k v^T."""
    k, n = _unit_keys(xp, k), q.shape[1]
    state, out = xp.zeros((n, n)), []
    for t in range(q.shape[0]):
        forget = (xp.arange(n)[:, None] == xp.arange(n)) - beta[t] * (k[t, :, None] * k[t])
        state = forget @ (state * decay[t]) + (beta[t] * k[t])[:, None] * v[t]
        out.append((q[t, None, :] @ state)[0])
    return xp.stack(out, axis=0) if out else q


def delta_in_chunks(xp, q, k, v, decay, beta):
    """A chunk of 4 at a time: a triangular system gives the corrections of its steps (the WY form)."""
    k, n = _unit_keys(xp, k), q.shape[1]
    state, out = xp.zeros((n, n)), []
    for at in range(0, q.shape[0], 4):
        end = min(at + 4, q.shape[0])
        ratio = {(i, i): 1.0 for i in range(at, end)}  # of the decay from step j to step i
        for i in range(at + 1, end):
            ratio.update({(i, j): ratio[i - 1, j] * decay[i] for j in range(at, i)})
        since = {i: ratio[i, at] * decay[at] for i in range(at, end)}
        u = []  # the corrections
        for i in range(at, end):
            due = v[i] - since[i] * (k[i, None, :] @ state)[0]
            earlier = [ratio[i, j] * xp.sum(k[i] * k[j]) * one for j, one in enumerate(u, at)]
            u.append(beta[i] * (due - sum(earlier[1:], earlier[0]) if earlier else due))
        for i in range(at, end):
            read = [ratio[i, j] * xp.sum(q[i] * k[j]) * u[j - at] for j in range(at, i + 1)]
            out.append(since[i] * (q[i, None, :] @ state)[0] + sum(read[1:], read[0]))
        written = [(ratio[end - 1, j] * k[j])[:, None] * u[j - at] for j in range(at, end)]
        state = since[end - 1] * state + sum(written[1:], written[0])
    return xp.stack(out, axis=0) if out else q


def _transducer_lattice(xp, y, emit):
    """log-probabilities of all ways to a cell, and from it to the end."""
    T, alpha, beta = y.shape[0], {(0, 0): 0.0}, {(y.shape[0], 3): 0.0}
    for t in range(T):
        for u in range(4):
            ways = [alpha[t - 1, u] + y[t - 1, u, 0]] if t > 0 else []
            ways += [alpha[t, u - 1] + emit[t, u - 1]] if u > 0 else []
            alpha[t, u] = xp.logaddexp(*ways) if len(ways) == 2 else ways[0] if ways else 0.0
    for t in reversed(range(T)):
        for u in reversed(range(4)):
            ways = [beta[t + 1, u] + y[t, u, 0]] if (t + 1, u) in beta else []
            ways += [beta[t, u + 1] + emit[t, u]] if u < 3 else []
            beta[t, u] = xp.logaddexp(*ways) if len(ways) == 2 else ways[0]
    return alpha, beta


def transducer_gradient(xp, logits, labels, upstream):
    """By alpha and beta in logarithms: the posterior of a step is exp(alpha + y + beta - total)."""
    if logits.shape[0] == 0:
        return logits
    d = logits - xp.max(logits, axis=-1, keepdims=True)
    y = d - xp.log(xp.sum(xp.exp(d), axis=-1, keepdims=True))
    is_label = xp.arange(y.shape[2]) == labels[:, None]
    emit = xp.sum(xp.where(is_label, y[:, :3, :], 0), axis=-1)
    alpha, beta = _transducer_lattice(xp, y, emit)
    total = alpha[y.shape[0] - 1, 3] + y[-1, 3, 0]
    rows = []
    for t in range(y.shape[0]):
        for u in range(4):
            g = xp.zeros((y.shape[2],))
            if (t + 1, u) in beta:
                g = g - xp.where(xp.arange(y.shape[2]) == 0, xp.exp(alpha[t, u] + y[t, u, 0] + beta[t + 1, u] - total), 0)
            if u < 3:
                g = g - xp.where(is_label[u], xp.exp(alpha[t, u] + emit[t, u] + beta[t, u + 1] - total), 0)
            rows.append(g)
    g = xp.reshape(xp.stack(rows, axis=0), y.shape)
    return upstream * (g - xp.exp(y) * xp.sum(g, axis=-1, keepdims=True))
