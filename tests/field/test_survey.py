"""The survey on a folder with one shader of each kind: test_survey.py PROGRAM"""

import pathlib
import subprocess
import sys
import tempfile

SHADERS = {
    "fine.metal": "kernel void one(device int* x) { x[0] = 1; }\nkernel void two(device int* x) { x[0] = 2; }\n",
    "half.metal": "template <typename T> kernel void good(device T* x) { x[0] = 1; }\n"
    "template <typename T> kernel void bad(device T* x) { x[0] = T::none; }\n"
    'template [[host_name("a")]] kernel void good<int>(device int*);\n'
    'template [[host_name("b")]] kernel void good<half>(device half*);\n'
    'template [[host_name("c")]] kernel void bad<int>(device int*);\n',
    "inner/none.metal": "kernel void f(texture2d_ms<float> t [[texture(0)]]) {}\n",
}


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "shaders"
        for name, text in SHADERS.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        script = pathlib.Path(__file__).with_name("survey.py")
        done = subprocess.run([sys.executable, script, program, root], capture_output=True, text=True)
    for expected in [
        "| shaders | 3 | 6 | 4 | 66.7 % |",
        "1 of shaders/half.metal: half.metal:2:61: error: type 'int' cannot be used prior to '::'",
        "1 of shaders/inner/none.metal: none.metal:1:15: error: parameter 't' of the kernel",
    ]:
        assert expected in done.stdout, f"expected '{expected}' in:\n{done.stdout}{done.stderr}"
    assert done.returncode == 1, done.returncode


main(sys.argv[1])
