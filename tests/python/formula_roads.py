"""Roads to the results of the gallery's operations other than their formulas: formulas too, in the names of the array API."""

from assay._gallery_roads import transducer_gradient  # noqa: F401


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
    shifts = [xp.where(one > -xp.inf, one, 0) for one in total]
    out = [xp.sum(xp.stack([upstream[:, t] * xp.exp(x[:, i] - shifts[t]) for t in range(i, len(total))], axis=0), axis=0)
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
