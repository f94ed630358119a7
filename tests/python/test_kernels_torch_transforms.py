"""assay.torch under torch.func, in forward mode, with second derivatives and under autocast: each is what PyTorch's own functions
give in double, or is refused by name. A derivative that is silently 0 would pass for one that is small."""

import pytest

torch = pytest.importorskip("torch")

from torch.autograd import forward_ad  # noqa: E402

import assay  # noqa: E402
from assay.torch import ctc_loss, linear_cross_entropy, randomized_svd, svd  # noqa: E402

needs_func = pytest.mark.skipif(not hasattr(torch, "func"), reason=f"PyTorch {torch.__version__} has no torch.func")
needs_custom_op = pytest.mark.skipif(
    not hasattr(torch.library, "custom_op"), reason=f"PyTorch {torch.__version__} has no torch.library.custom_op"
)
RANDOM = torch.Generator().manual_seed(2)


def normal(*shape):
    return torch.randn(*shape, generator=RANDOM, dtype=torch.float64)


LOGITS, TANGENT = normal(6, 2, 4), normal(6, 2, 4)
BATCH = (torch.tensor([[1, 2, 2], [3, 0, 0]]), torch.tensor([6, 4]), torch.tensor([3, 1]))
HIDDEN, WEIGHT, BIAS = normal(5, 3), normal(7, 3), normal(7)
TARGETS = torch.tensor([1, 6, -100, 0, 2])
MATRICES = normal(2, 4, 3)
CCE = {"label_smoothing": 0.1, "logit_softcap": 3.0, "z_loss": 0.01}


def cross_entropy(hidden, weight, bias, reduction="mean"):
    """linear_cross_entropy with the options CCE, in PyTorch's operations."""
    logits = 3 * ((hidden @ weight.T + bias) / 3).tanh()
    losses = torch.nn.functional.cross_entropy(logits, TARGETS, reduction="none", label_smoothing=0.1)
    losses = losses + 0.01 * logits.logsumexp(1) ** 2 * (TARGETS != -100)
    return {"none": losses, "sum": losses.sum(), "mean": losses.sum() / 4}[reduction]


def ours_and_truth(reduction):
    """By name: a function of assay.torch, the same in PyTorch, and arguments in float64."""
    return {
        "ctc_loss": (
            lambda x: ctc_loss(x, *BATCH, reduction=reduction, logits=True),
            lambda x: torch.nn.functional.ctc_loss(x.log_softmax(-1), *BATCH, reduction=reduction),
            (LOGITS,),
        ),
        "linear_cross_entropy": (
            lambda h, w, b: linear_cross_entropy(h, w, TARGETS, b, reduction=reduction, **CCE),
            lambda h, w, b: cross_entropy(h, w, b, reduction),
            (HIDDEN, WEIGHT, BIAS),
        ),
        "svd": (
            lambda A: (lambda f: f.S + f.U.square().sum(-2) ** 2 + (f.U[..., :3, :] * f.Vh.mT).sum(-2))(svd(A.double())),
            lambda A: (lambda f: f[1] + f[0].square().sum(-2) ** 2 + (f[0][..., :3, :] * f[2].mT).sum(-2))(
                torch.linalg.svd(A, full_matrices=False)
            ),
            (MATRICES,),
        ),
    }


NAMES = ["ctc_loss", "linear_cross_entropy", "svd"]
CASES = [(name, reduction) for name in NAMES for reduction in ("none", "mean", "sum") if name != "svd" or reduction == "sum"]


def narrow(arguments):
    return tuple(one.float() for one in arguments)


def close(one, other, tolerance=2e-5):
    return torch.allclose(one.double(), other, rtol=tolerance, atol=tolerance)


def jacobians(function, arguments):
    return torch.autograd.functional.jacobian(function, arguments)


def along(function, arguments, tangents):
    """The derivative in double along tangents, by reverse mode."""
    value = function(*arguments)
    return sum(
        (one * tangent).reshape(*value.shape, -1).sum(-1) for one, tangent in zip(jacobians(function, arguments), tangents)
    )


@pytest.mark.parametrize("name, reduction", CASES)
def test_forward_mode_is_computed(name, reduction):
    ours, truth, arguments = ours_and_truth(reduction)[name]
    tangents = [normal(*one.shape) for one in arguments]
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(one, tangent) for one, tangent in zip(narrow(arguments), narrow(tangents))]
        value, tangent = forward_ad.unpack_dual(ours(*duals))
    assert close(value, truth(*arguments)) and close(tangent, along(truth, arguments, tangents))


@needs_func
@pytest.mark.parametrize("name, reduction", CASES)
def test_jvp_jacfwd_grad_and_vjp_are_computed(name, reduction):
    ours, truth, arguments = ours_and_truth(reduction)[name]
    tangents = tuple(normal(*one.shape) for one in arguments)
    value, tangent = torch.func.jvp(ours, narrow(arguments), narrow(tangents))
    assert close(value, truth(*arguments)) and close(tangent, along(truth, arguments, tangents))
    which = tuple(range(len(arguments)))
    expected = jacobians(truth, arguments)
    for jacobian in (torch.func.jacfwd, torch.func.jacrev):
        for one, due in zip(jacobian(ours, argnums=which)(*narrow(arguments)), expected):
            assert close(one, due)
    value, pullback = torch.func.vjp(ours, *narrow(arguments))
    upstream = torch.linspace(-1, 2, value.numel()).reshape(value.shape).to(value.dtype)
    for one, due in zip(pullback(upstream), torch.func.vjp(truth, *arguments)[1](upstream.double())):
        assert close(one, due)


@needs_func
@pytest.mark.parametrize("chunk_size", [None, 2])
def test_gradients_of_each_sample(chunk_size):
    """vmap of grad and grad of vmap, with a batch at the second axis, and with weights that all samples share."""
    x, batch = torch.stack([LOGITS, TANGENT, -LOGITS], 1), tuple(torch.stack([one] * 3) for one in BATCH)

    def each(loss):
        return torch.func.vmap(torch.func.grad(loss), in_dims=(1, 0, 0, 0), chunk_size=chunk_size)(x.float(), *batch)

    each_gradient = each(lambda x, *batch: ctc_loss(x, *batch, logits=True))
    for i in range(3):
        y = x[:, i].clone().requires_grad_()
        torch.nn.functional.ctc_loss(y.log_softmax(-1), *BATCH).backward()
        assert close(each_gradient[i], y.grad)

    hidden, targets = normal(3, 5, 3), torch.tensor([[0, 1, 2, 3, 4], [6, 5, 4, 3, -100], [0] * 5])

    def losses(weight, hidden, targets):
        return linear_cross_entropy(hidden, weight, targets)

    def truth(weight, hidden, targets):
        return torch.nn.functional.cross_entropy(hidden @ weight.T, targets)

    per_sample = torch.func.vmap(torch.func.grad(losses), in_dims=(None, 0, 0), chunk_size=chunk_size)
    expected = torch.stack([torch.func.grad(truth)(WEIGHT, h, t) for h, t in zip(hidden, targets)])
    assert close(per_sample(WEIGHT.float(), hidden.float(), targets), expected)
    summed = torch.func.grad(lambda weight: torch.func.vmap(losses, in_dims=(None, 0, 0))(weight, hidden.float(), targets).sum())
    assert close(summed(WEIGHT.float()), expected.sum(0))


@needs_func
def test_vmap_of_svd_is_one_call():
    A = normal(3, 2, 4, 3)
    for dims in (0, 1, -1):
        moved = A.movedim(0, dims)
        for one, other in zip(torch.func.vmap(lambda one: tuple(svd(one)), in_dims=dims)(moved), svd(A)):
            assert torch.equal(one, other)
    values = torch.func.vmap(torch.func.grad(lambda one: svd(one).S.sum()))(A)
    assert close(values, torch.func.vmap(torch.func.grad(lambda one: torch.linalg.svdvals(one).sum()))(A))
    assert torch.func.vmap(lambda one: randomized_svd(one, 2).S)(A).shape == (3, 2, 2)


def scalar_of_svd(A):
    return (svd(A).S ** 3).sum() + (svd(A).U ** 2 @ svd(A).Vh ** 2).square().sum()


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_second_derivatives_of_svd(shape):
    A = normal(*shape).requires_grad_()
    assert torch.autograd.gradgradcheck(lambda A: (svd(A).S, svd(A).U ** 2 @ svd(A).Vh ** 2), (A,))
    assert torch.autograd.gradcheck(scalar_of_svd, (A,), check_forward_ad=True)


@needs_func
def test_hessians():
    for order in (torch.func.hessian, lambda f: torch.func.jacrev(torch.func.jacrev(f))):
        A = MATRICES[0]
        assert close(order(scalar_of_svd)(A), torch.autograd.functional.hessian(scalar_of_svd, A), 1e-9)
        for which in range(3):
            arguments = [HIDDEN, WEIGHT, BIAS]

            def of(loss, wide):
                def f(x):
                    given = [*arguments[:which], x, *arguments[which + 1 :]]
                    return loss(*(given if wide else narrow(given)))

                return f

            ours = order(of(lambda h, w, b: linear_cross_entropy(h, w, TARGETS, b, **CCE), False))(arguments[which].float())
            assert close(ours, torch.func.hessian(of(cross_entropy, True))(arguments[which]))


@needs_func
def test_a_gradient_penalty_of_cross_entropy():
    def penalty(loss, hidden, weight, bias):
        hidden = hidden.clone().requires_grad_()
        (first,) = torch.autograd.grad(loss(hidden, weight, bias), hidden, create_graph=True)
        return torch.autograd.grad(first.square().sum(), (hidden, weight, bias))

    def ours(hidden, weight, bias):
        return linear_cross_entropy(hidden, weight, TARGETS, bias, **CCE)

    given = [one.clone().requires_grad_() for one in (HIDDEN, WEIGHT, BIAS)]
    for one, other in zip(penalty(ours, *narrow(given)), penalty(cross_entropy, *given)):
        assert close(one, other)


def refuses_twice(function, x):
    (first,) = torch.autograd.grad(function(x), x, create_graph=True)
    first.sum().backward()


@pytest.mark.parametrize("derivative", ["create_graph", "hessian", "jacrev", "forward over reverse"])
def test_a_second_derivative_of_ctc_is_refused_by_name(derivative):
    def loss(x):
        return ctc_loss(x, *BATCH, logits=True)

    x = LOGITS.float().requires_grad_()
    with pytest.raises(NotImplementedError, match="assay.torch.ctc_loss has no second derivative"):
        if derivative == "create_graph" or not hasattr(torch, "func"):
            refuses_twice(loss, x)
        elif derivative == "hessian":
            torch.func.hessian(loss)(x.detach())
        elif derivative == "jacrev":
            torch.func.jacrev(torch.func.jacrev(loss))(x.detach())
        else:
            with forward_ad.dual_level():
                refuses_twice(loss, forward_ad.make_dual(x, TANGENT.float()))


def test_forward_over_reverse_of_svd_and_cross_entropy():
    if not hasattr(torch, "func"):
        pytest.skip("the second derivative of cross-entropy needs PyTorch 2")
    for loss, x in ((scalar_of_svd, MATRICES[0]), (lambda w: linear_cross_entropy(HIDDEN.float(), w, TARGETS), WEIGHT.float())):
        direction = normal(*x.shape).to(x.dtype)
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(x.clone().requires_grad_(), direction)
            (gradient,) = torch.autograd.grad(loss(dual), dual, create_graph=True)
            tangent = forward_ad.unpack_dual(gradient).tangent
        hessian = torch.autograd.functional.hessian(loss, x)
        assert close(tangent, (hessian * direction).sum((-2, -1)).double())


def test_randomized_svd_says_that_it_has_no_forward_mode():
    with forward_ad.dual_level(), pytest.raises(NotImplementedError, match="randomized_svd has no gradient"):
        randomized_svd(forward_ad.make_dual(MATRICES, MATRICES), 2)


def test_a_batch_of_upstream_gradients():
    """torch.autograd.functional.jacobian(vectorize=True): the older vmap, of the backward pass of an ordinary graph."""
    ours, truth, arguments = ours_and_truth("sum")["svd"]
    for one, other in zip(torch.autograd.functional.jacobian(ours, arguments, vectorize=True), jacobians(truth, arguments)):
        assert close(one, other)
    for name in ("ctc_loss", "linear_cross_entropy"):
        ours, truth, arguments = ours_and_truth("none")[name]
        with pytest.raises(NotImplementedError, match=f"assay.torch.{name} does not take is_grads_batched"):
            torch.autograd.functional.jacobian(ours, narrow(arguments), vectorize=True)


@needs_custom_op
@pytest.mark.parametrize("name", NAMES)
def test_compiled_forward_mode_is_not_zero(name):
    """torch.compile sees operators of PyTorch, which have no rule of forward mode: the call is left to Python, or refused."""
    ours, _, arguments = ours_and_truth("sum")[name]
    given, tangents = narrow(arguments), tuple(normal(*one.shape).float() for one in arguments)

    def derivative(*given):
        return torch.func.jvp(ours, given, tangents)[1]

    expected = derivative(*given).double()
    assert expected.abs().sum() > 0.1 and close(torch.compile(derivative, backend="aot_eager")(*given), expected)
    torch.compiler.reset()
    with pytest.raises(Exception, match="in forward mode"):
        torch.compile(derivative, backend="aot_eager", fullgraph=True)(*given)


@needs_custom_op
def test_compiled_gradients_through_vmap():
    """Within vmap no input says that it requires a gradient."""
    hidden, targets = normal(3, 5, 3).float(), torch.arange(15).reshape(3, 5) % 7

    def gradient(weight):
        def losses(weight):
            each = torch.func.vmap(lambda h, t: linear_cross_entropy(h, weight, t), in_dims=(0, 0))
            return each(hidden, targets).sum()

        return torch.func.grad(losses)(weight)

    expected = torch.func.grad(lambda w: torch.nn.functional.cross_entropy((hidden.double() @ w.T).flatten(0, 1), targets.flatten()))
    assert close(gradient(WEIGHT.float()), 3 * expected(WEIGHT))
    assert close(torch.compile(gradient, backend="aot_eager")(WEIGHT.float()), 3 * expected(WEIGHT))


def test_patched_torch_has_the_derivatives_that_it_had():
    def value(A):
        return torch.linalg.svd(A, full_matrices=False)[1].prod()

    A, direction = MATRICES[0], normal(4, 3)
    second = torch.autograd.functional.hessian(value, A)
    with forward_ad.dual_level():
        expected = forward_ad.unpack_dual(value(forward_ad.make_dual(A, direction))).tangent
    with assay.patch_torch() as patch, forward_ad.dual_level():
        assert close(forward_ad.unpack_dual(value(forward_ad.make_dual(A, direction))).tangent, expected, 1e-12)
        assert patch.calls["torch.linalg.svd"][0] == 1
    with assay.patch_torch():
        assert close(torch.autograd.functional.hessian(value, A), second, 1e-9)
        if hasattr(torch, "func"):
            assert close(torch.func.jvp(value, (A,), (direction,))[1], expected, 1e-12)
            assert close(torch.func.hessian(value)(A), second, 1e-9)
            assert close(torch.func.vmap(value)(MATRICES), torch.stack([value(one) for one in MATRICES]), 1e-12)


@needs_custom_op
def test_functionalization_sees_operators():
    def loss(x):
        return ctc_loss(x, *BATCH, logits=True)

    x = LOGITS.float()
    assert torch.equal(torch.func.functionalize(loss)(x), loss(x))
    with pytest.raises(NotImplementedError, match="assay.torch.ctc_loss has no forward mode within torch.func.functionalize"):
        torch.func.functionalize(lambda x: torch.func.jvp(loss, (x,), (x,)))(x)


AUTOCAST = {"dtype": torch.bfloat16}


def test_autocast_casts_as_pytorch_does():
    hidden, weight, bias = (one.float().requires_grad_() for one in (HIDDEN, WEIGHT, BIAS))
    with torch.autocast("cpu", **AUTOCAST):
        narrow_hidden = torch.nn.functional.linear(hidden, torch.eye(3))
        assert narrow_hidden.dtype == torch.bfloat16
        loss = linear_cross_entropy(narrow_hidden, weight, TARGETS, bias)
        frames = ctc_loss(LOGITS.bfloat16(), *BATCH, logits=True)
        factors = svd(MATRICES.bfloat16())
        wide = svd(MATRICES)
        with torch.autocast("cpu", enabled=False):
            assert svd(MATRICES.bfloat16()).U.dtype == torch.bfloat16
            with pytest.raises(ValueError, match="weight is float32: expected bfloat16, as hidden is"):
                linear_cross_entropy(narrow_hidden, weight, TARGETS)
    loss.backward()
    assert [one.grad.dtype for one in (hidden, weight, bias)] == [torch.float32] * 3
    due = linear_cross_entropy(hidden.bfloat16(), weight.bfloat16(), TARGETS, bias.bfloat16())
    assert torch.equal(loss, due) and loss.dtype == torch.float32
    assert torch.equal(frames, ctc_loss(LOGITS.bfloat16().float(), *BATCH, logits=True))
    assert factors.U.dtype == torch.float32 and wide.U.dtype == torch.float64


def test_a_model_learns_under_autocast_as_with_pytorch():
    def gradients(loss_of):
        model = torch.nn.Linear(3, 3, bias=False)
        weight = torch.nn.Parameter(WEIGHT.float())
        with torch.no_grad():
            model.weight.copy_(torch.eye(3))
        with torch.autocast("cpu", **AUTOCAST):
            loss = loss_of(model(HIDDEN.float()), weight)
        loss.backward()
        return [loss, model.weight.grad, weight.grad]

    def theirs(hidden, weight):
        return torch.nn.functional.cross_entropy(torch.nn.functional.linear(hidden, weight), TARGETS)

    ours = gradients(lambda hidden, weight: linear_cross_entropy(hidden, weight, TARGETS))
    for one, other in zip(ours, gradients(theirs)):
        assert one.dtype == other.dtype == torch.float32 and torch.allclose(one, other, rtol=0.05, atol=0.02)
