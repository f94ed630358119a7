#!/usr/bin/env python3
"""workflow_test.py SOURCE: every name in the workflow for macOS exists in this tree, which no Mac is needed to see.

Names are targets, test programs with their folders, presets, options of CMake, commands and options of the program, and
the variables that CMake reads. Then each kind is planted once with a name that does not exist, which must be noticed.
"""

import json
import pathlib
import re
import sys

CODE = (".h", ".cpp", ".txt", ".cmake", ".json")


def all_text(source, *folders):
    """The text of all code below some folders."""
    files = (path for folder in folders for path in sorted((source / folder).rglob("*")) if path.suffix in CODE)
    return "\n".join(path.read_text() for path in files)


class Names:
    """The names that there are."""

    def __init__(self, source):
        self.source = source
        self.cmake = (source / "CMakeLists.txt").read_text() + all_text(source, "metal/cmake", "metal/apple")
        self.program = all_text(source, "validation/cli")
        presets = json.loads((source / "CMakePresets.json").read_text())
        self.presets = {preset["name"] for preset in presets["configurePresets"] if not preset.get("hidden")}

    def tests_of(self, folder):
        """The test programs of a folder below tests/."""
        file = self.source / "tests" / folder / "CMakeLists.txt"
        return set(re.findall(r"assay_test\((\w+)", file.read_text())) if file.exists() else set()

    def has_test(self, name):
        return any(name in self.tests_of(folder.name) for folder in (self.source / "tests").iterdir())


def missing(workflow, names):
    """What the workflow names and the tree has not."""
    absent = []

    def expect(kind, name, is_there):
        if not is_there:
            absent.append(f"{kind} {name}")

    for targets in re.findall(r"--target ((?:\w+ ?)+)", workflow):
        for name in targets.split():
            expect("target", name, names.has_test(name))
    for preset, folder, name in re.findall(r"build/(\w+)/tests/(\w+)/(\w+)", workflow):
        expect("preset", preset, preset in names.presets)
        expect("test", f"{folder}/{name}", name in names.tests_of(folder))
    for preset in re.findall(r"--preset (\w+)|--build build/(\w+)", workflow):
        expect("preset", "".join(preset), "".join(preset) in names.presets)
    for option in re.findall(r"-D (\w+)", workflow):
        expect("option of CMake", option, re.search(rf"option\({option} ", names.cmake))
    for command, rest in re.findall(r"\./assay (\w+)([^|\n]*)", workflow):
        expect("command", command, f'add_subcommand("{command}"' in names.program.replace("\n", "").replace(
            "add_subcommand(      ", "add_subcommand("))
        for option in re.findall(r"--\w[\w-]*", rest):
            expect("option", option, re.search(rf'"{option}["{{ ,]', names.program))
    for variable in re.findall(r"^  (METAL_CPP_DIR):", workflow, re.MULTILINE):
        expect("variable", variable, f"ENV{{{variable}}}" in names.cmake or variable in names.cmake)
    return absent


# A name of the workflow, and one that does not exist.
PLANTED = {
    "--target apple_adopt_test": "--target apple_adoption_test",
    "tests/apple/apple_device_test": "tests/apple/apple_devices_test",
    "tests/apple/apple_hosts_test": "tests/metal/apple_hosts_test",
    "--preset release": "--preset released",
    "--build build/release": "--build build/released",
    "ASSAY_CHECK_STYLE": "ASSAY_CHECKS_STYLE",
    "./assay gate": "./assay gates",
    "./assay devices": "./assay device",
    "--quick": "--quickly",
    "--html": "--htm",
}


def main():
    source = pathlib.Path(sys.argv[1])
    workflow, names = (source / ".github/workflows/macos.yml").read_text(), Names(source)
    failures = [f"macos.yml names {name}, and there is no such thing" for name in missing(workflow, names)]
    for text, instead in PLANTED.items():
        if text not in workflow:
            failures.append(f"planted: macos.yml no longer has {text}")
        elif not missing(workflow.replace(text, instead), names):
            failures.append(f"planted: {instead} is not noticed")
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
