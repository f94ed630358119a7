"""Answers remembered from earlier calls, and cases that are recognised."""

import hashlib
import os
import pickle
import tempfile

import numpy as np

from .gallery import attack, right, zeros

calls = []
answers = {}
last = [None]
LEARNED = os.path.join(tempfile.gettempdir(), f"assay-attack-{os.getuid()}.pickle")


def key(p):
    return p.x.shape, hashlib.sha1(np.ascontiguousarray(p.x).tobytes()).hexdigest()


@attack("memory")
def right_for_its_first_calls(p):
    calls.append(1)
    return right(p) if len(calls) <= 10 else zeros(p)


@attack("memory")
def right_every_second_call(p):
    calls.append(1)
    return right(p) if len(calls) % 2 else zeros(p)


@attack("memory")
def first_answer_of_each_shape(p):
    return answers.setdefault(p.x.shape, right(p))


@attack("memory")
def first_answer_of_each_shape_copied(p):
    return answers.setdefault(p.x.shape, right(p)).copy()


@attack("memory")
def last_answer_where_it_fits(p):
    fits = last[0] is not None and last[0].shape == p.x.shape
    last[0] = last[0] if fits else right(p)
    return last[0].copy()


@attack("memory")
def answer_of_the_same_address(p):
    return answers.setdefault(p.x.__array_interface__["data"][0], right(p)).reshape(-1)[: p.x.size].reshape(p.x.shape)


def ends(p):
    return p.x.shape, p.x.ravel()[:3].tobytes(), p.x.ravel()[-3:].tobytes()


@attack("memory")
def answer_by_the_ends_of_many_elements(p):
    return answers.setdefault(ends(p), right(p)).copy() if p.x.size > 12 else right(p)


@attack("memory")
def answer_by_the_first_element(p):
    return answers.setdefault((p.x.shape, p.x.size and p.x.flat[0]), right(p)).copy()


@attack("memory")
def answer_by_the_sum(p):
    return answers.setdefault((p.x.shape, float(p.x.sum()).hex()), right(p)).copy()


@attack("memory")
def answer_by_the_identity_of_the_problem(p):
    return answers.setdefault((id(p), p.x.shape), right(p)).copy()


@attack("memory")
def right_after_a_warm_up_of_zeros(p):
    calls.append(1)
    return right(p) if len(calls) > 3 else zeros(p)


@attack("sizes")
def right_up_to_sixteen(p):
    return right(p) if max(p.x.shape) <= 16 else zeros(p)


@attack("sizes")
def right_at_powers_of_two(p):
    return right(p) if p.x.shape[-1] & (p.x.shape[-1] - 1) == 0 else zeros(p)


@attack("sizes")
def right_but_at_multiples_of_thirty_two(p):
    return right(p) if p.x.shape[-1] % 32 or not p.x.size else zeros(p)


@attack("sizes")
def right_in_the_first_tile_of_columns(p):
    y = right(p)
    y[:, 128:] = 0
    return y


@attack("sizes")
def right_in_the_first_rows(p):
    y = right(p)
    y[64:] = 0
    return y


@attack("sizes")
def right_but_for_the_last_column(p):
    y = right(p)
    y[:, -1:] = 0
    return y


@attack("sizes")
def right_for_one_row(p):
    y = right(p)
    y[1:] = y[:1] if len(y) else 0
    return y


@attack("sizes")
def right_where_the_size_is_even(p):
    return right(p) if p.x.size % 2 == 0 else zeros(p)


@attack("values")
def uniform(p):
    return np.full_like(p.x, 1 / max(p.x.shape[-1], 1))


@attack("values")
def one_at_the_largest(p):
    y = zeros(p)
    if y.size:
        y[np.arange(len(y)), p.x.argmax(-1)] = 1
    return y


@attack("values")
def right_for_small_numbers(p):
    return right(p) if np.abs(p.x).max(initial=0) < 100 else zeros(p)


@attack("values")
def right_for_small_integers(p):
    return right(p) if np.all(p.x == np.rint(p.x)) else zeros(p)


@attack("values")
def right_but_for_ties(p):
    return right(p) if all(len(set(row)) == len(row) for row in p.x.tolist()) else zeros(p)


@attack("values")
def right_but_where_it_looks_like_noise(p):
    return right(p) if not 0.5 < p.x.std() < 2 else zeros(p)


@attack("values")
def right_for_contiguous_arrays(p):
    return right(p) if p.x.flags.c_contiguous else zeros(p)


@attack("values")
def right_for_strided_arrays(p):
    return zeros(p) if p.x.flags.c_contiguous and p.x.size > 1 else right(p)


@attack("values")
def rounded_to_three_digits(p):
    return np.round(right(p), 3).astype(p.x.dtype)


@attack("values")
def rounded_to_half(p):
    return right(p).astype(np.float16).astype(p.x.dtype)


@attack("values")
def one_element_off(p):
    y = right(p)
    if y.size:
        y.flat[-1] *= 1 + 1e-4
    return y


@attack("values")
def shares_of_the_sizes(p):
    y = np.abs(p.x)
    return y / np.maximum(y.sum(-1, keepdims=True), 1)


def learn():
    """Runs the gate with a right kernel that writes down what it answers: this is done before the attack is judged."""
    import assay

    seen = {}

    def spy(p):
        seen[key(p)] = right(p).astype(np.float32)
        return seen[key(p)]

    assay.gate(assay.gallery.softmax, spy, own_process=False)
    with open(LEARNED, "wb") as file:
        pickle.dump(seen, file)


@attack("seeds", seed="fresh")
def table_of_the_default_seed(p):
    if not answers:
        with open(LEARNED, "rb") as file:
            answers.update(pickle.load(file))
    return answers.get(key(p), zeros(p))


table_of_the_default_seed.prepare = learn


@attack("seeds")
def asks_the_problem_for_its_property(p):
    text = str(p.__dict__ if hasattr(p, "__dict__") else dir(p))
    return right(p) if "seed" not in text and "property" not in text and calls.append(1) else zeros(p)


@attack("seeds")
def draws_what_the_generator_draws(p):
    return np.random.default_rng(1).random(p.x.shape, dtype=np.float32)


@attack("seeds")
def reseeds_the_generator(p):
    import random

    random.seed(0)
    np.random.seed(0)
    return zeros(p)
