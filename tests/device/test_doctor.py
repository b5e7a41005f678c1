# SPDX-License-Identifier: Apache-2.0
"""`avo doctor` on machines that are folders: with a driver, CANN and packages of custom operators, whole or broken."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ascend_vision_ops import custom_package, paths
from ascend_vision_ops.cli import main
from ascend_vision_ops.doctor import ATTENTION, MISSING, OK, Finding, Machine, examine, runs_on
from ascend_vision_ops.doctor.cann import find_cann, find_driver
from ascend_vision_ops.doctor.frameworks import find_frameworks, find_optional
from ascend_vision_ops.doctor.host import find_host
from ascend_vision_ops.doctor.installed import compute_unit, documented, find_installed, operator_types
from ascend_vision_ops.doctor.machine import numbers
from ascend_vision_ops.testing.run import missing
from tests.built import plain_process

COMPILER = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
TORCH = {"torch": "2.10.0+cpu", "torch_npu": "2.10.0.post2"}


def library(path: Path, names: list[str], hidden: list[str] = (), code: str = "") -> Path:
    """Compiles a shared library that exports functions, and has hidden ones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = code + "".join(f"int {name}(void) {{ return 0; }}\n" for name in names)
    text += "".join(
        f'__attribute__((visibility("hidden"))) int {name}(void) {{ return 0; }}\n' for name in hidden
    )
    source = path.with_suffix(".c")
    source.write_text(text)
    subprocess.run(
        [COMPILER, "-shared", "-fPIC", f"-Wl,-soname,{path.name}", str(source), "-o", str(path)], check=True
    )  # fmt: skip
    return path


def both(functions: list[str]) -> list[str]:
    return [name for function in functions for name in (function, f"{function}GetWorkspaceSize")]


class Fake:
    """A machine below a folder. Each method adds a part of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "usr/local/Ascend/cann"
        self.vendors = self.home / "opp/vendors"
        self.environ = {"PATH": str(root / "bin")}
        self.versions = dict(TORCH)

    def write(self, path: str, text: str = "") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def driver(self) -> Fake:
        self.write("etc/ascend_install.info", "Driver_Install_Path_Param=/opt/Ascend\n")
        self.write("opt/Ascend/driver/version.info", "Version=25.2.0\nascendhal_version=7.35.23\n")
        for name in ("davinci0", "davinci_manager", "devmm_svm", "hisi_hdc"):
            self.write(f"dev/{name}")
        self.write("bin/npu-smi", "#!/bin/sh\necho fine\n").chmod(0o755)
        return self

    def cann(self, version: str = "9.0.0", soc: str = "Ascend910B3") -> Fake:
        home = self.home.relative_to(self.root)
        info = f"package_name=Ascend-cann-toolkit\nversion={version}\narch=x86_64\n"
        self.write(f"{home}/x86_64-linux/ascend_toolkit_install.info", info)
        self.write(f"{home}/x86_64-linux/tikcpp/tikcfw/kernel_operator.h")
        self.write(f"{home}/compiler/tikcpp/ascendc_kernel_cmake/fwk_modules/func.cmake")
        self.environ |= {
            "ASCEND_HOME_PATH": str(self.home),
            "ASCEND_OPP_PATH": str(self.home / "opp"),
            "LD_LIBRARY_PATH": str(self.home / "lib64"),
        }
        runtime = f"""
        int aclInit(const char *config) {{ return config != 0; }}
        int aclrtGetDeviceCount(unsigned *count) {{ *count = 2; return {0 if soc else 507899}; }}
        const char *aclrtGetSocName(void) {{ return "{soc}"; }}
        """
        library(self.home / "lib64/libascendcl.so", [], code=runtime)
        library(self.home / "lib64/libopapi.so", both(["aclnnAdd"]))
        library(self.home / "lib64/libopapi_nn.so", both(["aclnnCummax", "aclnnMul"]))
        return self

    def vendor(self, name: str, functions: list[str], unit: str = "", inner: bool = True) -> Path:
        """Adds a package of custom operators at the end of config.ini."""
        folder = self.vendors / name
        library(folder / custom_package.LIBRARY, both(functions) + (["aclnnAvoCummax"] if inner else []))
        config = self.vendors / "config.ini"
        names = custom_package.load_priority(config)
        config.write_text(f"load_priority={','.join([*names, name])}\n")
        if unit:
            for kind in operator_types():
                kernel = folder / "op_impl/ai_core/tbe/kernel" / unit / kind.lower() / f"{kind}_1e04.o"
                kernel.parent.mkdir(parents=True)
                kernel.write_text("")
        return folder

    @property
    def machine(self) -> Machine:
        return Machine(
            environ=self.environ, root=self.root, system="Linux", processor="x86_64", python="3.11.2",
            version_of=lambda name: self.versions.get(name, ""),
        )  # fmt: skip


@pytest.fixture
def fake(tmp_path) -> Fake:
    return Fake(tmp_path)


def found(findings, item: str) -> Finding:
    return next(finding for finding in findings if finding.item == item)


def whole(fake: Fake) -> Fake:
    fake.driver().cann()
    fake.vendor("ascend_vision_ops", documented(), "ascend910b")
    return fake


needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler")


@needs_compiler
@plain_process
def test_a_machine_with_everything(fake):
    findings = examine(whole(fake).machine)
    bad = [finding for finding in findings if finding.state != OK and finding.part != "optional"]
    assert bad == []
    assert "npu" in runs_on(findings)
    assert found(findings, "driver").found == "25.2.0"
    assert found(findings, "devices").found == "davinci0"
    assert found(findings, "CANN").found == f"9.0.0 in {fake.home}"
    assert found(findings, "SoC").found == "Ascend910B3, 2 devices"
    assert found(findings, "functions").found == f"all {len(documented())} are exported"
    assert found(findings, "kernels").found == "for ascend910b"
    assert found(findings, "in CANN's place").found == "aclnnCummax"


def test_a_machine_with_nothing(fake):
    fake.versions = {}
    findings = [
        *find_driver(fake.machine),
        *find_cann(fake.machine),
        *find_frameworks(fake.machine),
        *find_installed(fake.machine),
    ]
    assert {finding.state for finding in findings} == {MISSING}
    assert all(finding.advice for finding in findings)
    assert runs_on(findings) == []


# --- what does not fit, each on a machine that has everything else


def no_access(fake: Fake):
    (fake.root / "dev/hisi_hdc").unlink()


def no_devices(fake: Fake):
    (fake.root / "dev/davinci0").unlink()


def no_answer(fake: Fake):
    fake.write("bin/npu-smi", "#!/bin/sh\necho dcmi module initialize failed >&2\nexit 1\n")


def no_environment(fake: Fake):
    del fake.environ["ASCEND_HOME_PATH"]


def half_an_environment(fake: Fake):
    fake.environ["LD_LIBRARY_PATH"] = "/nowhere"


def old_cann(fake: Fake):
    fake.cann("8.0.RC3")


def mixed_cann(fake: Fake):
    compiler = fake.home.relative_to(fake.root) / "compiler/version.info"
    fake.write(str(compiler), "Version=9.1.0\nversion_dir=9.1.0\n")


def no_runtime(fake: Fake):
    fake.cann(soc="")


def no_headers(fake: Fake):
    shutil.rmtree(fake.home / "x86_64-linux/tikcpp")


def no_modules(fake: Fake):
    shutil.rmtree(fake.home / "compiler/tikcpp")


def other_device(fake: Fake):
    fake.cann(soc="Ascend910_9392")


def no_kernels(fake: Fake):
    shutil.rmtree(fake.vendors / "ascend_vision_ops/op_impl")


def one_kernel_less(fake: Fake):
    next(fake.vendors.glob(f"**/{operator_types()[0]}_*.o")).unlink()


def no_package(fake: Fake):
    (fake.vendors / "config.ini").unlink()


def hidden_functions(fake: Fake):
    functions = both(documented())
    library(fake.vendors / "ascend_vision_ops" / custom_package.LIBRARY, ["aclnnAvoCummax"], hidden=functions)


def one_function_less(fake: Fake):
    names = both(documented())[:-1]  # the first phase of the last function
    library(fake.vendors / "ascend_vision_ops" / custom_package.LIBRARY, [*names, "aclnnAvoCummax"])


def shadowed(fake: Fake):
    folder = fake.vendor("acme", ["aclnnCummax", "aclnnAcme"], inner=False)
    fake.environ["ASCEND_CUSTOM_OPP_PATH"] = f"{folder}:"


def installed_twice(fake: Fake):
    fake.vendor("older", documented())


def other_torch_npu(fake: Fake):
    fake.versions["torch_npu"] = "2.9.0"


def torch_npu_for_newer_cann(fake: Fake):
    fake.versions |= {"torch": "2.12.0", "torch_npu": "2.12.0"}


def old_torch(fake: Fake):
    fake.versions |= {"torch": "2.9.1", "torch_npu": "2.9.1"}


BROKEN = [
    (no_access, "access", ATTENTION, "not there: hisi_hdc", "HwHiAiUser", True),
    (no_devices, "devices", MISSING, "no /dev/davinci*", "--device", False),
    (no_answer, "npu-smi", ATTENTION, "dcmi module initialize failed", "driver", True),
    (no_environment, "CANN", MISSING, "ASCEND_HOME_PATH is not set", "source", False),
    (half_an_environment, "environment", MISSING, "LD_LIBRARY_PATH", "set_env.sh", False),
    (old_cann, "CANN", ATTENTION, "8.0.RC3", "install CANN 8.1 or newer", True),
    (mixed_cann, "CANN", ATTENTION, "compiler is of 9.1.0", "install one version", True),
    (no_runtime, "SoC", MISSING, "aclrtGetDeviceCount returns 507899", "compare the versions", True),
    (no_headers, "AscendC headers", ATTENTION, "no kernel_operator.h", "toolkit", True),
    (no_modules, "CMake modules", ATTENTION, "no npu_op_*", "CANN 8.3", True),
    (other_device, "kernels", MISSING, "none for Ascend910_9392", "ASCEND_COMPUTE_UNIT", False),
    (no_kernels, "kernels", MISSING, "no compiled kernel", "build the package again", False),
    (
        one_kernel_less,
        "kernels",
        ATTENTION,
        f"without {operator_types()[0]} for ascend910b",
        "build the package",
        True,
    ),
    (no_package, "custom operators", MISSING, "searched", "build.sh package --target npu", False),
    (hidden_functions, "functions", MISSING, "0 of", "build and install it again", False),
    (one_function_less, "functions", ATTENTION, documented()[-1], "another version", True),
    (shadowed, "other packages", ATTENTION, "has aclnnCummax", "load_priority", True),
    (installed_twice, "other packages", ATTENTION, "another installation", "remove", True),
    (other_torch_npu, "torch_npu", ATTENTION, "2.9.0", "install torch_npu 2.10.0", True),
    (torch_npu_for_newer_cann, "torch_npu", ATTENTION, "2.12.0", "install CANN 9.1", True),
    (old_torch, "torch", ATTENTION, "2.9.1", "2.10 or newer", True),
]


@needs_compiler
@pytest.mark.parametrize(
    ("how", "item", "state", "told", "advice", "runs"), BROKEN, ids=lambda v: getattr(v, "__name__", "")
)
def test_what_does_not_fit_is_told_with_what_to_do(fake, how, item, state, told, advice, runs):
    how(whole(fake))
    findings = [
        finding
        for part in (find_frameworks, find_driver, find_cann, find_installed)
        for finding in part(fake.machine)
    ] + [Finding("host", "system", OK, ""), Finding("host", "Python", OK, "")]
    finding = found(findings, item)
    assert finding.state == state
    assert told in finding.found and advice in finding.advice, finding
    assert ("npu" in runs_on(findings)) == runs


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_no_permission(fake):
    fake.driver()
    (fake.root / "dev/davinci0").chmod(0)
    assert found(find_driver(fake.machine), "access").state == MISSING


@needs_compiler
def test_the_order_of_packages_cannot_be_read(fake, monkeypatch):
    """CANN's installer writes config.ini for the user who installs and for that user's group alone."""
    whole(fake)
    assert found(find_installed(fake.machine), "custom operators").state == OK
    read = Path.read_text

    def refuse(path, *arguments, **options):
        if path.name == "config.ini":
            raise PermissionError(path)
        return read(path, *arguments, **options)

    monkeypatch.setattr(Path, "read_text", refuse)
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "config.ini")
    finding = found(find_installed(fake.machine), "custom operators")
    assert finding.state == MISSING and "chmod 644" in finding.advice


def test_no_permission_as_any_user(fake, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "davinci0")
    finding = found(find_driver(fake.driver().machine), "access")
    assert finding.state == MISSING and "no access: davinci0" in finding.found


@pytest.mark.parametrize(("system", "processor", "state"), [
    ("Linux", "aarch64", OK), ("Linux", "riscv64", ATTENTION), ("Darwin", "arm64", MISSING),
])  # fmt: skip
def test_systems(fake, system, processor, state):
    machine = fake.machine
    machine.system, machine.processor = system, processor
    assert found(find_host(machine), "system").state == state


def test_an_old_python(fake):
    machine = fake.machine
    machine.python = "3.9.18"
    assert found(find_host(machine), "Python").state == MISSING


def test_an_optional_package_says_what_it_is_for(fake):
    assert "avo parity" in found(find_optional(fake.machine), "hypothesis").advice


@pytest.mark.parametrize(("file", "text", "version"), [
    ("aarch64-linux/ascend_toolkit_install.info", "version=8.3.RC1\n", "8.3.RC1"),
    ("ascend_nnae_install.info", "package_name=Ascend-cann-nnae\nversion=8.2.RC1\n", "8.2.RC1"),
    ("compiler/version.info", "Version=7.6.0.1.220\nversion_dir=8.1.RC1\n", "8.1.RC1"),
    ("compiler/version.info", "Version=9.1.0\n", "9.1.0"),
])  # fmt: skip
def test_files_that_say_the_version_of_cann(fake, file, text, version):
    fake.write(f"cann/{file}", text)
    fake.environ["ASCEND_HOME_PATH"] = str(fake.root / "cann")
    machine = fake.machine
    machine.processor = "aarch64"
    assert found(find_cann(machine), "CANN").found.startswith(version)


@pytest.mark.parametrize(("version", "wanted"), [
    ("8.1.RC1", (8, 1)), ("2.10.0.post2+cpu", (2, 10, 0)), ("CANN 9.0.0-beta.1", (9, 0, 0)), ("", ()),
])  # fmt: skip
def test_numbers_of_versions(version, wanted):
    assert numbers(version) == wanted


@pytest.mark.parametrize(("soc", "unit"), [
    ("Ascend910B1", "ascend910b"), ("Ascend910B4-1", "ascend910b"), ("Ascend910_9392", "ascend910_93"),
    ("Ascend310P3", "ascend310p3"),
])  # fmt: skip
def test_compute_units(soc, unit):
    assert compute_unit(soc) == unit


# --- the order of packages, and what libraries export


def test_the_order_of_packages(fake):
    fake.write("opp/vendors/config.ini", "# packages\nload_priority = b, a ,c\n")
    environ = {"ASCEND_CUSTOM_OPP_PATH": "/x/vendors/y::/z", "ASCEND_OPP_PATH": str(fake.root / "opp")}
    names = [
        str(folder).removeprefix(str(fake.root / "opp/vendors") + "/")
        for folder in custom_package.vendor_folders(environ)
    ]
    assert names == ["/x/vendors/y", "/z", "b", "a", "c"]
    assert custom_package.vendor_folders({}) == []


@needs_compiler
def test_exported_names_are_those_of_nm(tmp_path):
    made = library(
        tmp_path / "libx.so",
        ["seen", "other"],
        hidden=["unseen"],
        code="extern int needed(void);\nint calls(void) { return needed(); }\n",
    )
    names = custom_package.exported(made)
    assert {"seen", "other", "calls"} <= names
    assert not {"unseen", "needed"} & names


def test_exported_names_of_no_library(tmp_path):
    (tmp_path / "text.so").write_text("no library")
    (tmp_path / "cut.so").write_bytes(b"\x7fELF\x02\x01" + bytes(20))
    assert [custom_package.exported(tmp_path / name) for name in ("text.so", "cut.so", "none.so")] == [
        set()
    ] * 3


LOAD = """
import ctypes, sys
from ascend_vision_ops import custom_package, paths
custom_package.load()
print(next(line.split()[-1] for line in open("/proc/self/maps") if "libcust_opapi.so" in line))
# What libavo_torch_npu needs is found by its name from now on.
print(ctypes.CDLL("libcust_opapi.so").aclnnAvoCummax())
"""


@needs_compiler
def test_the_installed_operators_are_loaded_and_not_the_simulated_ones(fake):
    fake.cann()
    library(fake.home / "lib64/libnnopbase.so", ["aclCreateTensor"])
    fake.vendor("ascend_vision_ops", documented(), "ascend910b")
    status, answer = fake.machine.python_answer(LOAD)
    assert status == 0, answer
    assert answer.splitlines() == [str(fake.vendors / "ascend_vision_ops" / custom_package.LIBRARY), "0"]


@needs_compiler
@pytest.mark.skipif(not (paths.library_dir() / "libavo_torch_npu.so").exists(), reason="not built")
def test_installed_operators_of_another_version_are_refused_by_name(fake):
    fake.cann()
    fake.vendor("ascend_vision_ops", [name for name in documented() if name != "aclnnCornerPool"])
    status, answer = fake.machine.python_answer(LOAD)
    assert status != 0
    assert "lacks aclnnCornerPool, aclnnCornerPoolGetWorkspaceSize: expected" in answer


@needs_compiler
def test_functions_with_names_of_their_own_take_no_place_of_cann(fake):
    fake.driver().cann()
    fake.vendor("ascend_vision_ops", list(map(custom_package.own_name, documented())), "ascend910b")
    findings = list(find_installed(fake.machine))
    assert found(findings, "functions").state == OK
    assert found(findings, "in CANN's place").found == "none"


def test_a_process_of_its_own_has_the_same_package(fake, monkeypatch, tmp_path):
    """Also where a folder with another package of this name comes first on the path of this process."""
    (tmp_path / "ascend_vision_ops").mkdir()
    (tmp_path / "ascend_vision_ops/__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    answer = fake.machine.python_answer("import ascend_vision_ops; print(ascend_vision_ops.__file__)")
    assert answer == (0, str(paths.PACKAGE / "__init__.py"))


def test_without_installed_operators_the_error_says_so(fake):
    status, answer = fake.machine.python_answer(LOAD)
    assert status != 0 and "the custom-operator package of ascend-vision-ops is not installed" in answer


@needs_compiler
@pytest.mark.skipif(bool(missing("aclnn")), reason=missing("aclnn"))
def test_cann_in_the_library_path_does_not_disturb_the_simulated_device(fake):
    """CANN's libraries have the names of the simulated ones."""
    environ = {**os.environ, "LD_LIBRARY_PATH": str(fake.cann().home / "lib64")}
    code = "from ascend_vision_ops import _native; print(_native.sim.device('Ascend910B1')['soc'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environ)
    assert done.stdout.strip() == "Ascend910B1", done.stderr


# --- the command


@pytest.mark.skipif(bool(missing("aclnn")), reason=missing("aclnn"))
def test_the_command_on_this_machine(capsys, monkeypatch):
    monkeypatch.setenv("AVO_SIM_SOC", "Ascend910B4")
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "Ascend910B4, 40 vector cores" in out
    assert "on the simulated device" in out.splitlines()[-1]
    assert main(["doctor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "sim" in told["runs_on"]
    assert {"part", "item", "state", "found", "advice"} == set(told["findings"][0])


def test_torch_does_not_bring_canns_runtime_into_the_process_of_a_command(monkeypatch, capsys):
    monkeypatch.delenv("TORCH_DEVICE_BACKEND_AUTOLOAD", raising=False)
    monkeypatch.setattr("ascend_vision_ops.cli.doctor.examine", list)
    main(["doctor"])
    assert os.environ.pop("TORCH_DEVICE_BACKEND_AUTOLOAD") == "0"


def test_where_nothing_runs_the_status_is_1(capsys, monkeypatch):
    monkeypatch.setattr(
        "ascend_vision_ops.cli.doctor.examine",
        lambda: [Finding("host", "system", MISSING, "Plan 9", "use Linux")],
    )
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "system: use Linux" in out and "nowhere" in out


@pytest.mark.parametrize(("error", "told"), [
    (ModuleNotFoundError("No module named 'hypothesis'", name="hypothesis"), "needs the Python package hypothesis"),
    (ModuleNotFoundError("No module named 'torch._C'", name="torch._C"), "pip install torch"),
    (ModuleNotFoundError("…", name="ascend_vision_ops._native"), "not built"),
    (ImportError("libascendcl.so: cannot open shared object file"), "not built"),
])  # fmt: skip
def test_a_missing_module_is_told_as_what_it_is(error, told, monkeypatch, capsys):
    def fails():
        raise error

    monkeypatch.setattr("ascend_vision_ops.cli.doctor.examine", fails)
    assert main(["doctor"]) == 1
    assert told in capsys.readouterr().err
