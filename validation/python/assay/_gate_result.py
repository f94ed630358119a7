"""What assay.gate returns: a verdict, a table, and for each property what it found."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Optional

from ._again import words_of
from ._pipe import Ended


@dataclass(frozen=True)
class Failure:
    """The smallest case that was found to fail."""

    origin: str  # "generated, shrunk in 12 steps"
    explanation: str  # the expected value, the kernel's value, and where
    reproducer: str  # for assay.replay: "operation=ctc property=loss kernel=my_ctc T=2 ..."
    again: str = ""  # a line of Python that judges the case again, or the run where only earlier calls lead to the failure
    errors: str = ""  # the error of the case as first met beside that of the shrunk one, where they differ
    usual_cause: str = ""  # what usually causes such a failure, where that is known


@dataclass(frozen=True)
class PropertyResult:
    """The result of one property."""

    name: str
    claim: str
    verdict: str  # "pass", "fail", "error", "skipped" or "mistrusted"
    cases: int  # judged
    skipped: Dict[str, int]  # reasons and counts
    worst: float  # the largest error as a share of its bound: above 1, or NaN, fails
    place: str  # where: "gradient[t=3, b=0, k=2]"
    failure: Optional[Failure] = None
    elements: int = 0  # compared
    judged: int = 0  # of these, with a bound below what the value can be
    mistrust: str = ""  # why it is mistrusted

    @property
    def passed(self) -> bool:
        """True for pass and for skipped: a kernel need not do what it does not claim. (A result of skipped properties alone
        has not passed: GateResult.passed.)"""
        return self.verdict in ("pass", "skipped")


@dataclass(frozen=True)
class GateResult:
    """The result of a run; str() is the table that `assay gate` prints."""

    operation: str
    kernel: str
    properties: List[PropertyResult]
    table: str = field(repr=False)
    record: Dict[str, Any] = field(repr=False)  # the whole report, as `assay gate --json` writes it
    mistrust: str = ""  # why the run proves nothing, whatever the verdicts of its properties

    @property
    def passed(self) -> bool:
        """Whether no property failed and none was mistrusted, and each run judged a case: in each dtype, where there are
        several."""
        return all(one.passed for one in self.properties) and not self._judged_nothing and not self.mistrust

    @property
    def _judged_nothing(self) -> bool:
        """Of a shard, another shard may have judged."""
        return any(run["shard"]["total"] == 1 and all(one["verdict"] == "skipped" for one in run["properties"])
                   for run in self.record["runs"])  # fmt: skip

    @property
    def failures(self) -> Dict[str, Failure]:
        """The failing case of each property that failed, by its name."""
        return {one.name: one.failure for one in self.properties if one.failure is not None}

    def __getitem__(self, name: str) -> PropertyResult:
        """The result of the property called `name`; KeyError where it was not judged."""
        for one in self.properties:
            if one.name == name:
                return one
        raise KeyError(name)

    def __str__(self) -> str:
        return self.table

    def raise_for_failure(self) -> None:
        """Raises AssertionError with explanation and reproducer of each failure, unless all passed."""
        if not self.passed:
            texts = [failure_text(one) for one in self.properties if not one.passed]
            raise AssertionError("\n".join(texts) or self.mistrust or f"nothing was judged:\n{self.table}")


def result_of(ended: Ended, operation: str, properties: List[PropertyResult], table: str, report: Dict[str, Any]) -> GateResult:
    """The table says where a kernel ran that could have changed it."""
    table = "\n".join([table.rstrip(), ended.here, ""]) if ended.here else table
    run = report["runs"][0]
    return GateResult(operation, run["kernel"], properties, table, report, run["mistrust"])


def with_failures_of(first: GateResult, result: GateResult) -> GateResult:
    """The result, after what failed in another run of the same kernel."""
    failed = [one for one in first.properties if one.verdict in ("fail", "error")]
    if not failed:
        return result
    record = {**result.record, "runs": [*first.record["runs"], *result.record["runs"]]}
    return replace(result, properties=failed + result.properties, table=f"{first.table}\n{result.table}", record=record)


def failure_text(result: PropertyResult) -> str:
    """What failed, where, by how much, and the line that replays it."""
    lines = [f"{result.verdict} {result.name}: {result.claim}"] + [result.mistrust] * bool(result.mistrust)
    if result.failure is not None:
        lines += [f"({result.failure.origin})", result.failure.errors + result.failure.explanation]
        lines += ["reproduce with", f"  {result.failure.again}"]
        if result.failure.usual_cause:
            lines += ["usual cause", f"  {result.failure.usual_cause}"]
    return "\n".join(lines)


def _failure(said: Dict[str, Any]) -> Failure:
    line = said["reproducer"]
    again = said.get("again", line)
    return Failure(
        said["origin"], said["explanation"], words_of(line), again, said["errors"], said.get("usual_cause", "")
    )


def property_result(said: Dict[str, Any]) -> PropertyResult:
    failure = said.get("failure")
    return PropertyResult(
        name=said["name"],
        claim=said["claim"],
        verdict=said["verdict"],
        cases=said["cases"] - sum(said["skipped"].values()),
        skipped=said["skipped"],
        worst=float(said["worst"]["share"]),  # a number, or "nan" or "inf"
        place=said["worst"]["place"],
        failure=failure and _failure(failure),
        elements=said["elements"],
        judged=said["judged"],
        mistrust=said["mistrust"],
    )
