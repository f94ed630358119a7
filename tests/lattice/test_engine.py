"""WebAssembly against the program: the same requests, the same digits. Neither shares the other's number library:
here Boost and musl, there MPFR and glibc."""

import json
import pathlib
import random
import subprocess

import program

# Boost's type has one precision, which is that of 50 digits and no other.
NUMBERS = ["half", "bfloat16", "float", "double", {"digits": 50}]
SPACES = ["probability", "scaled", "log"]


def random_request(source: random.Random) -> dict:
    """Any word of any classes, from logits that are tame to logits at which everything underflows."""
    T, C = source.randint(1, 9), source.randint(2, 6)
    S = source.randint(0, T)
    size = 10 ** source.uniform(-2, 2.6)
    logits = [[source.uniform(-size, size) for _ in range(C)] for _ in range(T)]
    if source.random() < 0.1:
        logits[source.randrange(T)][source.randrange(C)] = "-inf"
    return {"labels": [source.randint(1, C - 1) for _ in range(S)], "blank": 0, "logits": logits}


def answers(requests: list[tuple[str, str]]) -> list[str]:
    """Those of the WebAssembly."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    # Emscripten's loader takes Node's own fetch for a browser's.
    command = [program.NODE, "--no-experimental-fetch", pathlib.Path(__file__).with_name("answer.js"),
               program.BUILT / "engine.js"]
    done = subprocess.run(command, input=lines, text=True, capture_output=True, check=True)
    return done.stdout.splitlines()


def test_steps_are_the_programs_digit_for_digit():
    source = random.Random(20061)
    requests = [json.dumps({**random_request(source), "number": source.choice(NUMBERS), "space": source.choice(SPACES)})
                for _ in range(300)]
    responses = answers([("ctc_steps", request) for request in requests])
    assert len(responses) == len(requests)
    losses = set()
    for request, response in zip(requests, responses):
        assert response == program.answered(request), request
        losses.add(json.loads(response)["loss"])
    assert {"inf", "nan"} <= losses and len(losses) > 150, "the requests are of all kinds"


def test_alignments_are_the_programs_digit_for_digit():
    source = random.Random(2006)
    requests = []
    while len(requests) < 60:
        request = random_request(source)
        if len(request["logits"]) <= 6:
            requests.append(json.dumps({**request, "T": len(request["logits"]), "number": source.choice(NUMBERS)}))
    for request, response in zip(requests, answers([("alignment_steps", request) for request in requests])):
        assert response == program.answered(request, "--alignments"), request


def test_refusals_are_answers_too():
    refused = answers([("ctc_steps", "{"), ("ctc_steps", '{"labels":[9],"logits":[[0,1]]}')])
    assert all("error" in json.loads(answer) for answer in refused)
    assert "labels[0] = 9: expected a label in [0, C=2)" in refused[1]
