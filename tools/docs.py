# SPDX-License-Identifier: Apache-2.0
"""`./build.sh docs` writes the support table of docs/operators.md, the calibration table of docs/simulator.md, the
tables of docs/simulator_api.md, a page for each operator and the page of divergences."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

from ascend_vision_ops import calibration
from ascend_vision_ops.opgen import Spec, load_specs
from tools import ascendc_api, intrinsics
from tools.divergence import page as divergence_page

ROOT = Path(__file__).resolve().parents[1]
SUPPORT = re.compile(r"(<!-- support table: written by ./build.sh docs -->\n)(.*?)(<!-- end -->)", re.S)
CALIBRATION = re.compile(r"(<!-- calibration: written by ./build.sh docs -->\n)(.*?)(<!-- end -->)", re.S)
API = re.compile(r"(<!-- api: written by ./build.sh docs -->\n)(.*?)(<!-- end -->)", re.S)
INTRINSICS = re.compile(r"(<!-- intrinsics: written by ./build.sh docs -->\n)(.*?)(<!-- end -->)", re.S)
SHORT = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "float64": "f64"}

NAMES_OF_CANN = """\
CANN has these functions too, with the same arguments. torch_npu looks for a function in custom packages first, so ours
take the place of CANN's. A call that ours would refuse is handed on to CANN's own function: one of another dtype,
format or device, or against another condition of the contract. Both phases are then CANN's. Where CANN refuses the call
as well, or has no such function, the error is ours. `./build.sh package --target npu --own-names` makes a package that
takes the place of no function. There `aclnnVisionCummax`, in `aclnnop/aclnn_vision_cummax.h`, stands for
`aclnnCummax`."""


def _dtypes(spec: Spec) -> str:
    tensors = spec.typenames or list(spec.dtypes)
    texts = [", ".join(SHORT.get(dtype, dtype) for dtype in spec.dtypes[tensor]) for tensor in tensors]
    return (
        texts[0] if len(texts) == 1 else "; ".join(f"{t}: {x}" for t, x in zip(tensors, texts, strict=True))
    )


def support_table(root: Path) -> str:
    """Makes a Markdown table with a row for each operator, and one of the functions whose names are CANN's."""
    specs = load_specs(root)
    rows = [("operator", "dtypes", "aclnn entry point", "CPU", "simulated device", "NPU", "gradient")]
    for spec in specs:
        entries = spec.reached_by(lambda name: f"`{name}`")
        gradient = ", ".join(f"`{gradient.operator}`" for gradient in spec.backward)
        gradient = gradient or ("of its parts" if spec.composite else "–")
        devices = ("yes", ", ".join(spec.socs)) if spec.on_device else ("no", "no")
        rows.append((f"`{spec.name}`", _dtypes(spec), entries, "yes", *devices, gradient))
    return f"{_table(rows)}\n\n## Names of CANN\n\n{NAMES_OF_CANN}\n\n{_table(_cann_rows(specs))}"


def _cann_rows(specs: list[Spec]) -> list[tuple[str, ...]]:
    rows = [("function", "operator", "dtypes that ours takes", "formats", "devices")]
    for spec in specs:
        for entry in spec.entries:
            if entry.cann:
                facts = (f"`{spec.name}`", _dtypes(spec), ", ".join(spec.formats), ", ".join(spec.socs))
                rows.append((f"`{entry.function}`", *facts))
    return rows


def _table(rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def calibration_table(program: Path) -> str:
    """Makes the counts of modelled times that are near published ones, and tables of both."""
    rows = calibration.run(program)["rows"]
    engine = ROOT / "sim" / "ascendc" / "engine"
    sources = [engine / name for name in ("device_model.h", "vector_rates.h")]
    single = (
        sum(path.read_text(encoding="utf-8").count("[single]") for path in sources) - 1
    )  # one explains the mark
    lines = [f"{calibration.counts(rows)}. Constants that one measurement alone supports: {single}.", ""]
    lines += ["| measurement | published | modelled | error |", "| --- | ---: | ---: | ---: |"]
    for row in rows:
        pair = calibration.task(row)
        figures = "– | – | –"
        if pair:
            figures = " | ".join([*calibration.texts(row, pair), f"{pair['error']:+.1%}"])
        lines.append(f"| `{row['case']}` {row['what']} | {figures} |")
    pipes = calibration.PIPES
    lines += ["", "| error of busy times | " + " | ".join(pipes) + " |", "| --- |" + " ---: |" * len(pipes)]
    for row in rows:
        pairs = calibration.pipes(row)
        if pairs:
            cells = [f"{pairs[pipe]['error']:+.0%}" if pipe in pairs else "–" for pipe in pipes]
            lines.append(f"| `{row['case']}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def fill(path: Path, marker: re.Pattern, table: str) -> None:
    """Replaces the text between two markers by a table."""
    text = path.read_text(encoding="utf-8")
    path.write_text(marker.sub(lambda found: f"{found[1]}{table}\n{found[3]}", text), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gen", type=Path, required=True, help="generated sources of target sim")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    fill(ROOT / "docs" / "operators.md", SUPPORT, support_table(ROOT))
    fill(ROOT / "docs" / "simulator_api.md", API, ascendc_api.table(ROOT))
    fill(ROOT / "docs" / "simulator_api.md", INTRINSICS, intrinsics.table(ROOT))
    program = options.gen.parent / "python" / "ascend_vision_ops" / "bin" / "sim_calibrate"
    fill(ROOT / "docs" / "simulator.md", CALIBRATION, calibration_table(program))
    pages = options.gen / "docs"
    if pages.is_dir():
        shutil.copytree(pages, options.out, dirs_exist_ok=True)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "divergence.md").write_text(divergence_page(ROOT), encoding="utf-8")
    count = len(list(options.out.rglob("*.md")))
    print(
        f"docs/operators.md, docs/simulator.md, docs/simulator_api.md and {count} operator pages in {options.out}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
