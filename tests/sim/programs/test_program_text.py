# SPDX-License-Identifier: Apache-2.0
"""The translation of preprocessed sources keeps every line where it is, and leaves literals and headers alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascend_vision_ops.sim.compile import CompileError
from ascend_vision_ops.sim.launches import without_launches
from ascend_vision_ops.sim.program_text import launch_header, translate

OWN, HEADERS = Path("/own"), Path("/headers")


def translated(code: str, cann: bool = False, cube_only: bool = False):
    text = f'# 1 "/own/a.asc"\n{code}\n'
    result = translate(text, OWN, [HEADERS], cann, cube_only)
    assert result.text.count("\n") == text.count("\n")
    return result


def cores(code: str, **more) -> dict[str, str]:
    return {kernel.name: kernel.cores for kernel in translated(code, **more).kernels}


def test_launch_of_a_template_over_several_lines():
    result = translated(
        "template <int n> __global__ __vector__ void k(int) {}\n"
        "void f(void *s) { k<(2 > 1 ? 3 : 4)>\n<<<8,\nnullptr, (s)>>>(5); }"
    )
    launch = result.text.splitlines()[2]
    assert "::sim::program::LaunchInstance<k<(2 > 1 ? 3 : 4)>, ::sim::program::Cores::kVector>(" in launch
    assert result.text.splitlines()[4] == "nullptr, (s))(5); }"
    assert result.launches == 1


@pytest.mark.parametrize(
    "launch, chosen",
    [
        ("k", "sim_chosen_k"),
        ("n::k", "n::sim_chosen_k"),
        ("k<float>", "sim_chosen_k<float>"),
        ("k<float, 3>", "sim_chosen_k<float, 3>"),
        ("k<float, 3, 4>", None),
    ],
)
def test_template_arguments_that_a_launch_leaves_out(launch, chosen):
    template = "template <typename T, int n, int m = 2> __global__ __vector__ void k(T *x) {}"
    text = translated(f"{template}\nvoid f(float *x) {{ {launch}<<<1, 0, 0>>>(x); }}").text
    declared = (
        "template <typename T, int n, int m = 2> ::sim::program::Chosen<&k<T, n, m>> sim_chosen_k(T *x);"
    )
    assert (declared in text) == (chosen is not None)
    assert (f"decltype({chosen}(sim_values...))" in text) == (chosen is not None)
    assert ("LaunchInstance<k<float, 3, 4>, " in text) == (chosen is None)


@pytest.mark.parametrize(
    ("parameters", "declared", "arguments"),
    [
        (
            "typename T, typename = Enabled<T, 1>",
            "typename T, typename sim_argument_1 = Enabled<T, 1>",
            "T, sim_argument_1",
        ),
        (
            "typename T, std::enable_if_t<(sizeof(T) >= 4), int> = 0",
            "typename T, std::enable_if_t<(sizeof(T) >= 4), int> sim_argument_1 = 0",
            "T, sim_argument_1",
        ),
        ("bool B = (sizeof(T) > 2), int n", "bool B = (sizeof(T) > 2), int n", "B, n"),
        (
            "unsigned int, Kind",
            "unsigned int sim_argument_0, Kind sim_argument_1",
            "sim_argument_0, sim_argument_1",
        ),
        ("std::size_t, std::size_t n", "std::size_t sim_argument_0, std::size_t n", "sim_argument_0, n"),
        ("const Kind, const Kind *p", "const Kind sim_argument_0, const Kind *p", "sim_argument_0, p"),
        ("typename... T", "typename... T", "T..."),
        ("typename...", "typename... sim_argument_0", "sim_argument_0..."),
        ("template <typename, int> class C", "template <typename, int> class C", "C"),
    ],
)
def test_template_parameters_without_names_get_some(parameters, declared, arguments):
    kernel = f"template <{parameters}> __global__ __vector__ void k(int) {{}}"
    text = translated(f"{kernel}\nvoid f() {{ k<<<1, 0, 0>>>(1); }}").text
    assert f" template <{declared}> ::sim::program::Chosen<&k<{arguments}>> sim_chosen_k(int);" in text


def test_literals_stay_as_they_are():
    line = """const char *a = "k<<<1>>>()", *b = R"x(printf("__global__"))x"; char c = '"'; int d = 1'000;"""
    assert translated(line).text.splitlines()[1] == line


def test_text_of_headers_stays_as_it_is():
    header = '# 1 "/headers/h.h" 1\nint printf(int); void g() { printf(1); }\n'
    text = header + '# 2 "/own/a.asc" 2\nvoid f() { printf("x"); }\n'
    result = translate(text, OWN, [HEADERS], False).text
    assert "void g() { printf(1); }" in result
    assert 'void f() { ::sim::program::Print("x"); }' in result


def test_the_nearest_folder_says_whose_a_header_is():
    lines = '# 1 "/own/.venv/include/h.h" 1\nvoid g() { printf(1); }\n# 2 "/own/a.asc" 2\nvoid f() { printf(2); }\n'
    below = translate(lines, OWN, [OWN / ".venv" / "include"], False).text
    assert "void g() { printf(1); }" in below
    assert "::sim::program::Print(2)" in below
    above = translate(lines, OWN, [Path("/")], False).text
    assert "void g() { ::sim::program::Print(1); }" in above


def test_only_calls_of_printf_are_replaced():
    attribute = "int g __attribute__((format(printf, 1, 2)));"
    line = "void f() { fprintf(0); x.printf(1); AscendC::PRINTF(2); std::printf(3); } " + attribute
    line += " void Log::printf(int) {} struct Own { void printf(int); };"
    expected = line.replace("AscendC::PRINTF(2)", "::sim::program::Print(2)").replace(
        "std::printf(3)", "::sim::program::Print(3)"
    )
    assert translated(line).text.splitlines()[1] == expected


@pytest.mark.parametrize(
    "words, expected",
    [("__vector__", "vector"), ("__cube__", "cube"), ("__mix__", "mixed12"), ("__mix__(1, 2)", "mixed12"),
     ("__mix__(1,1)", "mixed11"), ("__mix__(1, 0)", "cube"), ("__mix__(0, 1)", "vector")],
)  # fmt: skip
def test_cores_that_words_name(words, expected):
    assert cores(f"{words} __global__ void k() {{}}") == {"k": expected}
    assert cores(f"__global__ {words} void k() {{}}") == {"k": expected}


def test_cores_that_calls_imply():
    code = (
        "void Product() { AscendC::Mmad(a, b, c); } struct Whole { TPosition p = VECIN; void Do() { Product(); } };"
        "__global__ void k1() { Product(); } __global__ void k2() { Whole w; } __global__ void k3() { Add(); }"
    )
    assert cores(code) == {"k1": "cube", "k2": "mixed12", "k3": "vector"}
    matmul = "__global__ void k() { Matmul<A, B> m; }"
    assert cores(matmul) == {"k": "mixed12"}
    assert cores(matmul, cube_only=True) == {"k": "cube"}
    assert cores(f"using Matmul = MatmulClient<A>;\n{matmul}", cube_only=True) == {"k": "mixed12"}


def test_broken_launch_is_told():
    with pytest.raises(CompileError, match="a launch begins with <<< and has no >>>"):
        translated("__global__ void k() {} void f() { k<<<1, 2; }")


def test_header_of_launches_has_no_pointers_of_the_device():
    (kernel,) = translated('extern "C" __global__ void add(GM_ADDR *x, const uint8_t *y, float z) {}').kernels
    expected = (
        'extern "C" uint32_t aclrtlaunch_add(uint32_t numBlocks, void *stream, void *x, void *y, float z);'
    )
    assert expected in launch_header(kernel)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("// op<<<blocks, nullptr, stream>>>(x)\nPipeBarrier<PIPE_V>();", None),
        ('/* op<<<1>>>(x) */ const char *s = "op<<<1>>>(x)"; Barrier();', None),
        ("x = std::cout << 1; bool operator<<<int>(int);", None),
        ("f(); ns::op<<<n, nullptr, s>>>(x); g();", "f(); (void)0; g();"),
        ("k<Foo<int>><<<1, nullptr, s>>>(x); g();", "(void)0; g();"),
        ("k<<<1, nullptr, s>>>([] { a(); return ')'; }(), x); g();", "(void)0; g();"),
        ("if (a) k<<<1,\n2>>>(\nx); else g();", "if (a) (void)0\n\n; else g();"),
        ("#define RUN(x) k<<<1, \\\n s>>>(x); g()\n", "#define RUN(x) (void)0\\\n; g()\n"),
    ],
)
def test_only_launches_are_taken_out_of_a_source(before, after):
    assert without_launches(before) == (after or before)


def test_the_struct_of_tiling_data_that_nobody_registers():
    kernel = "void f() { AscendcDefaultTiling plan; }"
    plans = "struct alignas(8) PlanTiling { int n; };\nstruct Other { int n; };\n"
    assert "{ PlanTiling plan; }" in translated(plans + kernel).text
    # The source says it itself.
    registered = f"{plans}void f() {{ using AscendcDefaultTiling = Other; AscendcDefaultTiling plan; }}"
    assert registered in translated(registered).text
    with pytest.raises(CompileError, match=r"expected REGISTER_TILING_DEFAULT\(STRUCT\) .* found none"):
        translated(f"struct Other {{}};\n{kernel}")
    with pytest.raises(CompileError, match="found MoreTilingData, PlanTiling"):
        translated(f"{plans}struct MoreTilingData {{}};\n{kernel}")
    # Nobody asks.
    translated("struct Tiling {};\nstruct OtherTiling {};\nvoid f() {}")


def test_the_class_of_tiling_data_that_nobody_registers():
    kernel = "void f() { AscendcDefaultTiling plan; }"
    base = ": public ::optiling::TilingDef"
    part = f"class Part {base} {{ }};"
    whole = f'class Whole {base} {{ Part part; int part_offset_ = AddStruct("Part", "part", part); }};'
    classes = f"namespace optiling {{ namespace inner {{ {part} {whole} }} }}\n"
    assert "{ ::optiling::inner::Whole plan; }" in translated(classes + kernel).text
    # A struct comes first: a source may have both for the same data.
    both = f"{classes}namespace mine {{ struct VecTiling {{ }}; }}\n{kernel}"
    assert "{ ::mine::VecTiling plan; }" in translated(both).text
    with pytest.raises(CompileError, match="found ::optiling::inner::Whole, Other"):
        translated(f"{classes}class Other {base} {{ }};\n{kernel}")
