"""The corpus as a whole: what each entry says, the command, its table and its record."""

import json
import re

import pytest

from assay.corpus import ENTRIES
from assay.corpus.__main__ import main
from assay.corpus.judge import AUTHOR, GENERATED, OURS, judge
from assay.corpus.rules import RULES

PUBLISHED = re.compile(r"[\w.-]+/[\w.-]+(#\d+)?|docs/conformance\.md")


def entry_called(name):
    (entry,) = [one for one in ENTRIES if one.name == name]
    return entry


def test_there_are_as_many_entries_as_are_promised_and_no_two_are_alike():
    assert len(ENTRIES) >= 80
    assert len({(one.family, one.name) for one in ENTRIES}) == len({one.thread for one in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda one: f"{one.family}-{one.name}")
def test_each_entry_has_a_thread_a_cause_both_kernels_and_a_shape(entry):
    assert PUBLISHED.search(entry.thread), entry.thread
    assert 20 <= len(entry.cause) <= 130 and not entry.cause.endswith("."), entry.cause
    assert callable(entry.right) and callable(entry.faulty) and entry.right is not entry.faulty
    assert entry.shape and all(size > 0 for size in entry.shape.values())
    if not isinstance(entry.operation, str):
        assert set(entry.shape) == set(entry.operation.extents)


def test_random_inputs_of_the_authors_shape_miss_what_our_cases_reach():
    judged = judge(entry_called("padding_loaded_as_zero"))  # right for powers of two
    for rule in RULES:
        assert not judged.verdicts[rule.name, AUTHOR].kills and judged.verdicts[rule.name, GENERATED].kills, rule
    ours = judged.verdicts[OURS, GENERATED]
    assert ours.kills and not ours.accuses and "outputs" in judged.noticed_by and judged.accused_by == []


def test_a_tolerance_that_fits_normal_numbers_accuses_right_kernels_of_others():
    judged = judge(entry_called("accumulator_overwritten"))
    assert judged.verdicts["FlashInfer-Bench", AUTHOR].kills and not judged.verdicts["FlashInfer-Bench", AUTHOR].accuses
    assert judged.verdicts["gpuemu, calibrated", GENERATED].accuses


def test_the_command_prints_a_table_of_100_columns_and_writes_the_record(tmp_path, capsys):
    file = tmp_path / "corpus.json"
    assert main(["--filter", "^(svd: unsorted|scans: both)", "--json", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 published faults in 2 families, and as many right kernels"
    assert max(map(len, lines)) <= 100 and "our gate misses: none" in lines and "it accuses: none" in lines
    record = json.loads(file.read_text())
    assert [one["name"] for one in record["entries"]] == ["unsorted", "both_minus_infinity"]
    assert len(record["entries"][0]["verdicts"]) == 2 * len(record["rules"]) + 2


def test_the_list_names_every_entry(capsys):
    assert main(["--list"]) == 0
    told = capsys.readouterr().out
    assert all(f"{one.family}: {one.name} ({one.thread})\n    {one.cause}" in told for one in ENTRIES)


@pytest.mark.parametrize("pattern, said", [("no such entry", "matches none of"), ("(", "expected a regular expression")])
def test_a_filter_that_selects_nothing_is_refused(pattern, said, capsys):
    with pytest.raises(SystemExit):
        main(["--filter", pattern])
    assert said in capsys.readouterr().err
