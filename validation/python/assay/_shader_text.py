"""The text of metal/kernels for compilers that take no function constants and no lengths of threadgroup memory, or take
the body of a kernel alone: torch.mps.compile_shader and mx.fast.metal_kernel."""

from __future__ import annotations

import functools
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from ._kernel_calls import gpu_module
from .metal.mlx import POSITIONS

METAL_TYPES = {"float32": "float", "float16": "half", "bfloat16": "bfloat"}

_ELEMENT_BYTES = {"float": 4, "float4": 16}


def with_constants(text: str, constants: Mapping[int, bytes]) -> str:
    """The text with these values in place of [[function_constant(index)]], all of which are bool; else false."""
    numbers = {name: int(number) for name, number in re.findall(r"(\w+_constant) = (\d+)", text)}

    def with_value(match: "re.Match[str]") -> str:
        value = constants.get(numbers[match[2]], b"\0")
        return f"{match[1]} = {'true' if any(value) else 'false'};"

    return re.sub(r"(constant bool \w+) \[\[function_constant\((\w+)\)\]\];", with_value, text)


def with_type(text: str, dtype: str) -> str:
    """The text with the kernels of this type alone: a third of what there is to compile."""
    return re.sub(rf"(?m)^INSTANTIATE_FOR\((?!{METAL_TYPES[dtype]}\))\w+\)$", "", text)


def threadgroup_array(element: str, name: str, length: int) -> str:
    """A variable of so many bytes in place of an argument [[threadgroup(index)]]; of one element at least."""
    return f"threadgroup {element} {name}[{max(1, length // _ELEMENT_BYTES[element])}];"


def with_threadgroup_memory(text: str, lengths: Mapping[int, int]) -> str:
    """The text with variables of these bytes in place of the arguments [[threadgroup(index)]]."""
    argument = re.compile(r"threadgroup (\w+)\* (\w+) \[\[threadgroup\((\d+)\)\]\],\s*")
    while (match := argument.search(text)) is not None:
        body = text.index("{", match.end()) + 1
        variable = " " + threadgroup_array(match[1], match[2], lengths.get(int(match[3]), 0))
        text = text[: match.start()] + text[match.end() : body] + variable + text[body:]
    return text


class Parameter(NamedTuple):
    """One of a kernel's: "device const Row*", "rows", "buffer(rows_index)"."""

    type: str
    name: str
    attribute: str

    @property
    def element(self) -> str:
        return self.type.rstrip("*& ").split()[-1]

    @property
    def is_buffer(self) -> bool:
        return self.attribute.startswith("buffer(")

    @property
    def is_written(self) -> bool:
        return self.type.startswith("device ") and " const " not in self.type


class Kernel(NamedTuple):
    """A kernel by its host's name. `header` holds the part of the file that the body needs."""

    template: Tuple[Tuple[str, str], ...]  # parameters and values: ("class D", "float")
    parameters: Tuple[Parameter, ...]
    body: str
    header: str
    indices: Mapping[str, int]  # of buffers, by the names of their enumerators

    def buffers(self) -> List[Tuple[int, Parameter]]:
        """By [[buffer(index)]]."""
        return [(self.indices[one.attribute[7:-1]], one) for one in self.parameters if one.is_buffer]

    def aliases(self) -> List[str]:
        """Declares the parameters of its template."""
        return [_alias(parameter, value) for parameter, value in self.template]

    def places(self, lengths: Mapping[int, int]) -> List[str]:
        """Declares what is no buffer, in a function that mx.fast.metal_kernel makes, under the names that the kernel has."""
        lines = []
        for one in self.parameters:
            if one.attribute.startswith("threadgroup("):
                lines.append(threadgroup_array(one.element, one.name, lengths.get(int(one.attribute[12:-1]), 0)))
            elif not one.is_buffer:
                axes = {"uint": ".x", "uint2": ".xy", "uint3": ""}[one.type] if POSITIONS[one.attribute] == "uint3" else ""
                lines.append(f"const {one.type} {one.name} = {one.attribute}{axes};")
        return lines


def _alias(parameter: str, value: str) -> str:
    kind, name = parameter.rsplit(" ", 1)
    return f"using {name} = {value};" if kind == "class" else f"constexpr {kind} {name} = {value};"


_DEFINITION = re.compile(r"(?:template <([^>]*)>\s*)?(?:\[\[([^\]]*)\]\]\s*)?kernel void (\w+)\(")
_INSTANCE = re.compile(r'INSTANTIATE\("(\w+)"( #type)?, (\w+)<([^>]*)>\)')
_INSTANTIATIONS = re.compile(r"(?m)^(?:#define INSTANTIATE(?:.*\\\n)*.*|INSTANTIATE.*)\n")


def _end_of(text: str, begin: int, brackets: str) -> int:
    """Past the bracket that closes the one at begin - 1."""
    depth, end = 1, begin
    while depth > 0:
        depth += {brackets[0]: 1, brackets[1]: -1}.get(text[end], 0)
        end += 1
    return end


def _parameters(text: str) -> Tuple[Parameter, ...]:
    found = re.findall(r"(\w[^\[\]]*?)(\w+)\s+\[\[([^\]]*)\]\]", text)
    return tuple(Parameter(" ".join(kind.split()), name, attribute) for kind, name, attribute in found)


@functools.lru_cache(maxsize=None)
def _definitions(shader: str) -> Tuple[str, Dict[str, Tuple[str, str, Tuple[Parameter, ...], str]], Dict[str, Any]]:
    """The file without its kernels; these by the names of their functions: template, attributes, parameters, body; and by
    the names that hosts know, what is instantiated: function and template arguments."""
    text = re.sub(r"//.*", "", gpu_module().shader_text(shader))
    found = _INSTANCE.findall(text)
    instances = {name + ("{type}" if generic else ""): (function, values) for name, generic, function, values in found}
    kernels = {}
    while (match := _DEFINITION.search(text)) is not None:
        end = _end_of(text, match.end(), "()")
        begin = text.index("{", end) + 1
        body_end = _end_of(text, begin, "{}")
        parameters = _parameters(text[match.end() : end])
        kernels[match[3]] = (match[1] or "", match[2] or "", parameters, text[begin : body_end - 1])
        text = text[: match.start()] + text[body_end:]
    for function, (_, attributes, *_) in kernels.items():
        for name in re.findall(r'host_name\("(\w+)"\)', attributes):
            instances[name] = (function, "")
    return _INSTANTIATIONS.sub("", text), kernels, instances


def kernel(shader: str, name: str, dtype: str, constants: Sequence[Tuple[int, bytes]]) -> Kernel:
    """The kernel `name` of a file of metal/kernels such as "ctc/ctc.metal", for arrays of this type. Shape, an argument by
    set_bytes for other callers, is in device memory."""
    header, kernels, instances = _definitions(shader)
    own = METAL_TYPES[dtype]
    function, arguments = instances.get(name) or instances[re.sub(f"{own}$", "{type}", name)]
    template, _, parameters, body = kernels[function]
    values = [own if one == "type" else one for one in arguments.split(", ")]
    pairs = tuple(zip(template.split(", "), values)) if template else ()
    indices = {name: int(number) for name, number in re.findall(r"(\w+_index) = (\d+)", header)}
    return Kernel(pairs, parameters, body, with_constants(header, dict(constants)), indices)
