"""Kernels of the built-in operations that are wrong for values, options and types that people have and random draws do not."""

import numpy as np

from .gallery import attack
from .large import LOGITS, RIGHT


def wrong_where(operation, filter, declared=()):
    """The function below says where results are 0: a kernel that is right elsewhere is listed as an attack."""

    def listed(is_wrong):
        def kernel(p):
            found = RIGHT[operation].assay_kernel(p)
            return tuple(None if one is None else np.zeros_like(one) for one in found) if is_wrong(p) else found

        kernel.__name__ = f"wrong_for_{is_wrong.__name__}"
        attack("values", operation, cases=5, filter=filter, **{**RIGHT[operation].assay_declared, **dict(declared)})(kernel)
        return is_wrong

    return listed


def constant(upstream):
    return upstream is not None and upstream.size > 0 and (upstream == upstream.flat[0]).all()


def in_order(values, least):
    return len(values) >= least and (np.diff(values) > 0).all()


@wrong_where("cce", "^loss$")
def an_ignore_index_past_the_vocabulary(p):
    return p.ignore_index >= len(p.weight) and (p.targets == p.ignore_index).any()


@wrong_where("cce", "^loss$")
def an_ignore_index_of_some_negative_number(p):
    return (-99 <= p.ignore_index <= -2 or -(2**62) < p.ignore_index < -100) and (p.targets == p.ignore_index).any()


@wrong_where("cce", "^dhidden$")
def a_loss_scale(p):
    return constant(p.upstream) and p.upstream.flat[0] > 1


@wrong_where("cce", "^dhidden$")
def a_loss_that_is_subtracted(p):
    return constant(p.upstream) and p.upstream.size > 1 and p.upstream.flat[0] < 0


@wrong_where("cce", "^dweight$")
def a_mean_that_the_caller_takes(p):
    return p.upstream is not None and 0 < np.abs(p.upstream).max(initial=0) < 1e-6


@wrong_where("cce", "^dbias$")
def all_options_of_a_mean(p):
    given = p.logit_softcap and p.label_smoothing and p.z_loss and p.bias is not None and p.upstream is not None
    return given and p.reduction == "mean" and (p.targets == p.ignore_index).any()


@wrong_where("cce", "^dweight$")
def one_target_of_all_tokens(p):
    return len(p.targets) >= 4 and len(p.weight) >= 3 and (p.targets == p.targets[0]).all() and p.targets[0] != p.ignore_index


@wrong_where("cce", "^loss$")
def words_by_frequency(p):
    return p.bias is not None and np.isfinite(p.bias).all() and in_order(-p.bias.astype(np.float64), 6)


@wrong_where("ctc", "^gradient$", LOGITS["ctc"])
def labels_that_ascend(p):
    return p.layout == "padded" and any(in_order(row[:count], 5) for row, count in zip(p.targets, p.target_lengths))


@wrong_where("ctc", "^gradient$", LOGITS["ctc"])
def an_untrained_network(p):
    x = p.activations.astype(np.float64)
    return min(x.shape[0] - 7, x.shape[2] - 39) > 0 and np.isfinite(x).all() and np.ptp(x, axis=-1).max() < 0.2


@wrong_where("ctc", "^loss$")
def log_probs_that_are_not_normalised(p):
    with np.errstate(all="ignore"):
        sums = np.exp(p.activations.astype(np.float64)).sum(-1)
    whole = (p.input_lengths == len(sums)).all()  # else frames past a length hold anything
    return whole and sums.size > 0 and (np.abs(sums - 1) > 0.1).all()


@wrong_where("ctc", "^gradient$", LOGITS["ctc"])
def concatenated_targets_of_many(p):
    return p.layout == "concatenated" and max(len(p.target_lengths), p.target_lengths.max(initial=0)) > 100


@wrong_where("ctc", "^loss$", LOGITS["ctc"])
def repeats_among_many_labels(p):
    rows = p.targets if p.layout == "padded" else []
    return any(count > 60 and (row[1:count] == row[: count - 1]).any() for row, count in zip(rows, p.target_lengths))


@wrong_where("svd", "^values$")
def images(p):
    return min(p.A.shape[1:]) >= 3 and max(p.A.shape[1:]) >= 24 and p.A.shape[1] != p.A.shape[2] and (p.A > 0).all()


@wrong_where("svd", "^values$", {"dtype": ("float32", "float16")})
def float16_of_twenty_columns(p):
    return p.A.dtype == np.float16 and min(p.A.shape[1:]) >= 20


@wrong_where("svd", "^values$", {"dtype": ("float32", "float64")})
def float64_of_twenty_columns(p):
    return p.A.dtype == np.float64 and min(p.A.shape[1:]) >= 20


@wrong_where("svd", "^values$")
def many_matrices_of_a_few_columns(p):
    return len(p.A) > 20 and 5 <= min(p.A.shape[1:]) <= 60


@wrong_where("svd", "^orthonormal-u$")
def matrices_of_medium_size(p):
    return 131 <= min(p.A.shape[1:]) <= 255


@wrong_where("cce", "^dweight$")
def a_usual_vocabulary(p):
    return 5000 <= len(p.weight) <= 130_000


@wrong_where("cce", "^loss$")
def a_usual_batch_and_vocabulary(p):
    return 140 <= len(p.hidden) <= 250 and 140 <= len(p.weight) <= 4000
