"""Runs Doxygen over the documented headers and arranges its XML for Breathe, as pages of files.

Doxygen files the functions of a namespace under the namespace. A page of a header wants those that it declares, and
neither the namespace as a thing of its own, once more on each page, nor which file includes which.
"""

from __future__ import annotations

import copy
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path
from typing import Dict, List

import headers

SETTINGS = """
PROJECT_NAME = assay
INPUT = {inputs}
STRIP_FROM_PATH = {root}
OUTPUT_DIRECTORY = {out}
EXCLUDE_SYMBOLS = detail *::detail* std*
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
FULL_PATH_NAMES = YES
EXTRACT_ALL = YES
TYPEDEF_HIDES_STRUCT = YES
MACRO_EXPANSION = YES
PREDEFINED = ASSAY_HAVE_ARB ASSAY_HAVE_MPFR ASSAY_HAVE_GMP
AUTOLINK_SUPPORT = NO
FILTER_PATTERNS = {plugin}="{filter}"
QUIET = YES
WARNINGS = NO
"""
NOT_WANTED = {"includes", "includedby", "incdepgraph", "invincdepgraph", "innernamespace"}


def run(root: Path, out: Path) -> None:
    """Leaves the XML in out/xml."""
    out.mkdir(parents=True, exist_ok=True)
    inputs = " ".join(str(root / header) for header in headers.documented(root))
    as_documentation = Path(__file__).with_name("c_comments.sed")
    settings = SETTINGS.format(
        inputs=inputs, root=root, out=out, plugin="*/assay_plugin.h", filter=f"sed -E -f {as_documentation}"
    )
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True)
    arrange(out / "xml")


def arrange(xml: Path) -> None:
    sections: Dict[str, List[ElementTree.Element]] = defaultdict(list)  # by path of the header
    for file in sorted(xml.glob("namespace*.xml")):
        for section in ElementTree.parse(file).getroot().iter("sectiondef"):
            for header, part in by_header(section).items():
                sections[header].append(part)
    for file in sorted(xml.glob("*.xml")):
        tree = ElementTree.parse(file)
        for compound in tree.getroot().iter("compounddef"):
            for child in [child for child in compound if child.tag in NOT_WANTED]:
                compound.remove(child)
            location = compound.find("location")
            if compound.get("kind") == "file" and location is not None:
                compound.extend(sections[location.get("file", "")])
        tree.write(file, encoding="utf-8")


def qualified(member: ElementTree.Element) -> ElementTree.Element:
    """The member under its full name, which it has no other way to show outside of its namespace."""
    result = copy.deepcopy(member)
    name, full = result.find("name"), result.find("qualifiedname")
    if name is not None and full is not None:
        name.text = full.text
    return result


def by_header(section: ElementTree.Element) -> Dict[str, ElementTree.Element]:
    """The section of a namespace in parts, one for each header that declares of it."""
    parts: Dict[str, ElementTree.Element] = {}
    for member in section.iter("memberdef"):
        location = member.find("location")
        header = location.get("file", "") if location is not None else ""
        part = parts.setdefault(header, ElementTree.Element("sectiondef", section.attrib))
        part.append(qualified(member))
    return parts
