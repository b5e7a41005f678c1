# SPDX-License-Identifier: Apache-2.0
"""The page of a run: its data against the counters of the report, and what it does in a browser."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ascend_vision_ops.run_page import write_page
from ascend_vision_ops.run_page.content import content_of
from ascend_vision_ops.run_page.merge import MOST, budgets, merged
from ascend_vision_ops.run_page.phases import phases
from ascend_vision_ops.run_page.timelines import CAUSES, SLICE, WHO_PIPES, Row, read_launches
from tests.built import BUILD, missing
from tests.sim import browser
from tests.sim.browser import Browser

PROGRAM = BUILD / "tests" / "sim_faults"
# A right kernel, one of cube and vector cores, and a race of two lines.
CASES = ("correct", "correct_mixed_product", "compute_then_copy")
SOC = {
    "soc": "Ascend910B1", "clock_ghz": 2.0, "vector_cores": 48, "cube_cores": 24, "hbm_bytes_per_second": 1.6e12,
    "l2_bytes_per_second": 5e12, "ub_bytes": 196608,
}  # fmt: skip
HOSTILE = "</script><script>document.title='broken'</script><b id=injected>&amp;"


def run(folder: Path, *cases: str, **variables: str) -> subprocess.CompletedProcess:
    assert PROGRAM.exists(), missing(PROGRAM)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("AVO_SIM_")}
    kept |= {"AVO_SIM_TIMELINE": str(folder), **variables}
    done = [
        subprocess.run([PROGRAM, "--run", case], capture_output=True, text=True, env=kept) for case in cases
    ]
    return done[-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("timelines")
    run(path, *CASES)
    return path


@pytest.fixture(scope="module")
def launches(folder):
    found = read_launches(folder, None)
    assert len(found) == len(CASES)
    return dict(zip(CASES, found, strict=True))


def data_of(page: Path) -> dict:
    return json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.S)[1])


def made(folder: Path, rows: dict[str, list[tuple[int, ...]]], cycles: int, kernel: str = "made") -> Path:
    """Writes a timeline of one vector core by hand: for each pipe start, length, site and bytes of instructions."""
    folder.mkdir(exist_ok=True)
    pipes = {}
    parts = []
    for pipe in WHO_PIPES:
        slices = np.zeros(len(rows.get(pipe, ())), SLICE)
        for name, values in zip(
            ("start", "length", "site", "bytes"), zip(*rows.get(pipe, ()), strict=True), strict=False
        ):
            slices[name] = values
        pipes[pipe] = {
            "instructions": len(slices), "repeats": 0, "bytes": int(slices["bytes"].sum()),
            "busy_cycles": int(slices["length"].sum()),
        }  # fmt: skip
        if len(slices):
            text = base64.b64encode(slices.tobytes()).decode()
            parts.append({"core": 0, "cube": False, "pipe": pipe, "slices": text})
    report = {
        "kernel": kernel, "soc": SOC["soc"], "blocks": 1, "cores": 1, "pipes": pipes, "cycles": cycles,
        "microseconds": cycles / 2000, "faults": [], "scalar_accesses": 0, "ub_peak_bytes": 0,
        **dict.fromkeys(("gm_read_bytes", "gm_write_bytes", "hbm_read_bytes", "hbm_write_bytes"), 4096),
    }  # fmt: skip
    sites = [["Add", "absent/rows.h", 7, "rows.h:7 Process"], ["Mul", "absent/rows.h", 8, "rows.h:8 Process"]]
    whole = {
        "report": report,
        "device": SOC,
        "start": 0,
        "tick": 1,
        "sites": sites,
        "modules": [],
        "rows": parts,
    }
    (folder / f"000-{kernel[:4].strip('<>/')}.json").write_text(json.dumps(whole))
    return folder


def test_the_page_has_the_range_of_the_time(launches):
    for launch in launches.values():
        shown = content_of([launch])["launches"][0]
        assert shown["range"] == launch.report["microseconds_range"]
        assert shown["range"][0] < shown["microseconds"] < shown["range"][1]


@pytest.mark.parametrize("case", ["correct", "correct_mixed_product"])
def test_slices_are_the_counters_of_the_report(launches, case):
    launch = launches[case]
    for pipe, counters in launch.report["pipes"].items():
        rows = [row for row in launch.rows if row.pipe == pipe]
        busy = sum(int(row.busy[1][-1]) for row in rows) * launch.tick
        count = sum(len(row.slices) for row in rows)
        # Each end of an instruction is rounded to a tick.
        assert busy == pytest.approx(counters["busy_cycles"], abs=launch.tick * (count + 1))
        if pipe != "S":  # whose slices are what it issues, and whose counters are scalar accesses
            assert count == counters["instructions"]
            assert sum(int(row.slices["bytes"].sum()) for row in rows) == counters["bytes"]


@pytest.mark.parametrize("case", CASES)
def test_times_lie_within_the_launch_and_waits_within_gaps(launches, case):
    launch = launches[case]
    assert launch.rows
    for row in launch.rows:
        starts = row.slices["start"].astype(np.int64)
        assert (np.diff(starts) >= 0).all()
        assert starts[0] >= launch.start - 1
        assert row.ends.max() <= launch.ticks + 1
        assert (starts - row.slices["waited"] >= launch.start - 1).all()
        # A wait begins when all before has ended.
        waited = row.slices["waited"][1:]
        begins = starts[1:] - waited
        assert (begins[waited > 0] >= np.maximum.accumulate(row.ends)[:-1][waited > 0] - 2).all()


def test_a_wait_names_what_was_waited_for(launches):
    launch = launches["correct"]
    vector = next(row for row in launch.rows if row.pipe == "V")
    first = vector.slices[0]
    assert CAUSES[first["cause"]] == "flag"
    assert WHO_PIPES[first["who"] % 16] == "MTE2"
    assert launch.sites[first["whose"] - 1].name.startswith("DataCopy")
    copies = next(row for row in launch.rows if row.pipe == "MTE2" and row.core == vector.core)
    # The flag came when the copies that it stands for had ended, and not before.
    assert first["start"] >= copies.ends[0]
    mixed = launches["correct_mixed_product"]
    cube = next(row for row in mixed.rows if row.pipe == "MTE2" and row.cube)
    assert "cross-core" in {CAUSES[cause] for cause in cube.slices["cause"]}


def test_phases_name_the_busiest_pipe(tmp_path):
    rows = {
        "MTE2": [(0, 4000, 0, 64)],
        "V": [(4000, 5000, 1, 64)],
        "MTE3": [(9000, 50, 0, 64), (12000, 50, 0, 64)],
    }
    [launch] = read_launches(made(tmp_path / "a", rows, 16000), None)
    found = phases(launch)
    assert [phase.pipe for phase in found] == ["MTE2", "V", ""]
    ends = [phase.end for phase in found]
    assert ends == pytest.approx([4000, 9000, 16000], abs=16000 / 240 * 3)
    assert found[0].share > 0.95 and "MTE2 (reading global memory) bounds" in found[0].sentence
    assert "V (the vector unit) bounds" in found[1].sentence
    assert "No pipe is busy" in found[2].sentence


def test_phases_say_how_many_cores_work(tmp_path):
    rows = {"V": [(0, 8000, 1, 64)]}
    [launch] = read_launches(made(tmp_path / "a", rows, 16000), None)
    busy, idle = launch.rows[0], np.zeros(1, SLICE)
    idle["length"] = 10
    others = [Row(core, False, "V", busy.slices if core < 4 else idle) for core in range(1, 12)]
    found = phases(replace(launch, rows=(busy, *others)))
    assert found[0].cores == 4 and found[0].share > 0.95
    assert found[0].sentence.startswith("Only 4 of 12 vector cores work. V (the vector unit) bounds")
    alone = phases(replace(launch, rows=(busy, *others[:3])))
    assert alone[0].cores == 0 and "Only" not in alone[0].sentence


def test_large_launches_are_merged_and_lose_nothing(tmp_path):
    random = np.random.default_rng(3)
    lengths = random.integers(1, 6, 40_000)
    starts = np.cumsum(lengths + random.integers(0, 9, len(lengths))) - lengths
    sites = random.integers(0, 2, len(lengths))
    rows = {"V": [(*one, 32) for one in np.stack((starts, lengths, sites), axis=1).tolist()]}
    [launch] = read_launches(made(tmp_path / "a", rows, int(starts[-1]) + 10), None)
    untouched, gap = merged(launch, 50_000)
    assert gap == 0 and len(untouched[0]["start"]) == len(lengths)
    [row], gap = merged(launch, 1000)
    assert gap > 0 and 200 < len(row["start"]) <= 1000
    assert row["count"].sum() == len(lengths)
    assert row["bytes"].sum() == 32 * len(lengths)
    assert row["busy"].sum() == lengths.sum()
    firsts = np.cumsum(row["count"]) - row["count"]
    assert (row["start"] == starts[firsts]).all()
    assert (row["start"] + row["length"] == (starts + lengths)[firsts + row["count"] - 1]).all()


def test_many_launches_share_the_page(tmp_path):
    [launch] = read_launches(made(tmp_path / "a", {"V": [(10, 20, 0, 32)]}, 100), None)
    lengths = np.random.default_rng(5).permutation(1000)
    many = [replace(launch, report=launch.report | {"microseconds": int(n)}) for n in lengths]
    shared = np.array(budgets(many))
    assert 0 < np.count_nonzero(shared) < 1000 and shared.sum() <= MOST
    assert lengths[shared > 0].min() > lengths[shared == 0].max()


def test_file_that_was_not_finished_is_left_out(tmp_path):
    timelines = made(tmp_path / "a", {"V": [(10, 20, 0, 32)]}, 100)
    whole = next(timelines.iterdir()).read_text()
    (timelines / "001-cut.json").write_text(whole[: len(whole) // 2])
    assert len(read_launches(timelines, None)) == 1


def test_page_is_one_file_and_escapes_names(tmp_path):
    page = tmp_path / "page.html"
    write_page(
        made(tmp_path / "a", {"V": [(10, 20, 0, 32)]}, 100, HOSTILE), None, page, HOSTILE, [("fact", HOSTILE)]
    )
    text = page.read_text()
    assert data_of(page)["title"] == HOSTILE
    assert data_of(page)["launches"][0]["kernel"] == HOSTILE
    assert text.count("<script") == 2 and text.count("</script>") == 2
    assert "<b id" not in text
    for outside in ("http:", "https:", "src=", "href=", "url(", "@import", "//cdn"):
        assert outside not in text, outside


def test_faults_come_with_the_lines_around(folder, tmp_path):
    page = tmp_path / "page.html"
    write_page(folder, None, page)
    data = data_of(page)
    [fault] = [fault for launch in data["launches"] for fault in launch["faults"]]
    assert fault["kind"] == "MissingSync" and fault["severity"] == "error"
    assert [site[0] for site in fault["sites"]] == ["DataCopy", "Duplicate"]
    for call, file, line, _ in fault["sites"]:
        assert call in data["sources"][file][str(line)]


def test_report_replaces_faults_and_adds_launches(tmp_path):
    timelines = made(tmp_path / "a", {"V": [(10, 20, 0, 32)]}, 100)
    fault = {
        "kind": "Stride",
        "severity": "warning",
        "kernel": "made",
        "block": 3,
        "text": "a text",
        "sites": [],
    }
    lines = [
        {"kernel": "made", "faults": [fault], "suppressed": 2},
        {"kernel": "other", "faults": [], "microseconds": 1},
    ]
    report, page = tmp_path / "report", tmp_path / "page.html"
    cut = '\n{"kernel": "cu'  # the program was ended while it wrote
    report.write_text("\n".join(json.dumps(line) for line in lines) + cut)
    write_page(timelines, report, page)
    first, second = data_of(page)["launches"]
    assert (first["kernel"], first["suppressed"], first["faults"][0]["severity"]) == ("made", 2, "warning")
    assert "rows" in first
    assert second["kernel"] == "other" and "rows" not in second
    assert data_of(page)["sources"] == {"absent/rows.h": None}


def test_run_without_cycles_or_launches_has_a_page(tmp_path):
    run(tmp_path / "fast", "correct", AVO_SIM_FAST="1")
    page = tmp_path / "page.html"
    write_page(tmp_path / "fast", None, page)
    [launch] = data_of(page)["launches"]
    assert launch["kernel"] == "twice_plus" and "rows" not in launch and "AVO_SIM_FAST" in launch["absent"]
    write_page(tmp_path / "absent", tmp_path / "absent too", page)
    assert data_of(page)["launches"] == []
    with pytest.raises(NotADirectoryError, match="expected a folder"):
        write_page(page, None, tmp_path / "another")


def test_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    done = run(tmp_path / "file", "correct")
    assert done.returncode == 0
    assert f"AVO_SIM_TIMELINE: cannot write {tmp_path / 'file'}" in done.stderr


# In a browser ------------------------------------------------------------------------------------------------------

needs_browser = pytest.mark.skipif(bool(browser.missing()), reason=browser.missing())
CENTRE = """
const timeline = page.timeline, row = timeline.rows.all().find((one) => one.pipe === "PIPE" && one.core === CORE);
const box = timeline.canvas.getBoundingClientRect();
const end = Math.min(row.start[0] + row.length[0], row.size > 1 ? row.start[1] : Infinity);
return [box.left + ((row.start[0] + end) / 2 - timeline.from) * timeline.scale,
        box.top + row.top - timeline.scroll.scrollTop + row.height / 2];
"""


def opened(window: Browser, path: Path) -> None:
    window.open(path)
    window.run(
        "return new Promise((done) => { const look = () => "
        "document.querySelector('h1') && (!page.launch?.rows || page.timeline?.colours) ? done() : "
        "requestAnimationFrame(look); look(); })"
    )


def text_of(window: Browser, selector: str) -> str:
    return window.run(f"return document.querySelector({selector!r})?.textContent ?? ''")


def centre(window: Browser, pipe: str, core: int = 0) -> list[float]:
    window.run("page.timeline.canvas.scrollIntoView({block: 'center'})")
    return window.run(CENTRE.replace("PIPE", pipe).replace("CORE", str(core)))


@pytest.fixture(scope="module")
def pages(folder, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("pages")
    write_page(folder, None, path / "run.html", "three <b>kernels</b>")
    made(path / "hostile", {"V": [(10, 20, 0, 32)]}, 100, HOSTILE)
    site = {"call": HOSTILE, "file": HOSTILE, "line": 3, "path": [HOSTILE, HOSTILE]}
    warning = {"kind": "RoundedCopy", "severity": "warning", "kernel": HOSTILE, "block": 0, "text": HOSTILE}
    line = {"kernel": HOSTILE, "faults": [warning | {"sites": [site]}], "suppressed": 0}
    (path / "report").write_text(json.dumps(line))
    write_page(path / "hostile", path / "report", path / "hostile.html", HOSTILE)
    lines = [{"kernel": "warned", "faults": [warning | {"sites": []}]}, {"kernel": "other", "faults": []}]
    (path / "warnings").write_text("\n".join(map(json.dumps, lines)))
    write_page(path / "absent", path / "warnings", path / "warnings.html")
    return path


@pytest.fixture
def run_page(window, pages):
    opened(window, pages / "run.html")
    yield window
    assert window.errors() == []


@needs_browser
def test_faults_come_first(run_page):
    assert run_page.run("return document.querySelector('main').children[1].className") == "errors"
    assert text_of(run_page, ".errors h2") == "1 fault"
    here = run_page.run(
        "return [...document.querySelectorAll('.errors .here')].map((one) => one.textContent)"
    )
    assert len(here) == 2 and "DataCopy" in here[0] and "Duplicate" in here[1]


@needs_browser
def test_warnings_are_not_counted_as_faults(window, pages):
    opened(window, pages / "warnings.html")
    assert "fault" not in text_of(window, ".launches")
    assert text_of(window, ".warnings h2") == "1 warning"


@needs_browser
def test_pointing_names_call_and_line(run_page, launches):
    run_page.pointer(*centre(run_page, "MTE2"))
    tip = text_of(run_page, ".tip")
    copies = next(row for row in launches["correct"].rows if row.pipe == "MTE2" and row.core == 0)
    site = launches["correct"].sites[copies.slices[0]["site"]]
    assert site.name in tip and f"{Path(site.file).name}:{site.line}" in tip
    assert "bytes" in tip or "KiB" in tip
    run_page.pointer(5, 5)
    assert run_page.run("return document.querySelector('.tip').hidden")


@needs_browser
def test_wheel_drag_and_keys_change_the_range(run_page):
    def shown():
        return run_page.run("return [page.timeline.from, page.timeline.to]")

    whole, text = shown(), text_of(run_page, "#range")
    marks = (
        "const ruler = page.timeline.ruler; const data = ruler.getContext('2d')"
        ".getImageData(0, 0, ruler.width, ruler.height).data; return data.some((one) => one > 0)"
    )
    assert run_page.run(marks), "the ruler is empty"
    x, y = centre(run_page, "MTE2")
    run_page.wheel(x, y, -400)
    near = shown()
    assert near[1] - near[0] < 0.8 * (whole[1] - whole[0])
    assert near[0] > whole[0] and text_of(run_page, "#range") != text
    run_page.drag(x, y, -80, 0)
    moved = shown()
    assert moved[0] > near[0]
    assert moved[1] - moved[0] == pytest.approx(near[1] - near[0])
    run_page.run("page.timeline.canvas.focus()")
    run_page.keys("+")
    assert shown()[1] - shown()[0] == pytest.approx((near[1] - near[0]) / 2)
    run_page.run("page.timeline.show(0, page.launch.ticks)")
    assert shown() == whole


@needs_browser
def test_click_shows_the_source(run_page, launches):
    run_page.pointer(*centre(run_page, "V"), click=True)
    details = text_of(run_page, ".details")
    vector = next(row for row in launches["correct"].rows if row.pipe == "V" and row.core == 0)
    site = launches["correct"].sites[vector.slices[0]["site"]]
    assert site.name in details and "for MTE2, by a flag: DataCopy" in details
    assert site.name in text_of(run_page, ".details .here")
    # The button goes to what was waited for.
    run_page.run("document.querySelector('.details dd button').click()")
    assert "DataCopy" in text_of(run_page, ".details h3") and "MTE2" in text_of(run_page, ".details h3")


@needs_browser
def test_search_finds_calls_and_goes_to_them(run_page, launches):
    launch = launches["correct"]
    run_page.run("document.querySelector('input[type=search]').focus()")
    run_page.keys("datacopy")
    copies = [number for number, site in enumerate(launch.sites) if "datacopy" in f"{site}".lower()]
    expected = sum(int(np.isin(row.slices["site"], copies).sum()) for row in launch.rows)
    assert expected > 0
    assert text_of(run_page, ".toolbar output") == f"{expected} found"
    run_page.keys("Enter")
    assert "DataCopy" in text_of(run_page, ".details h3")
    run_page.keys("nothing has this name")
    assert text_of(run_page, ".toolbar output") == "0 found"


@needs_browser
def test_without_a_mouse(run_page):
    run_page.run("page.timeline.canvas.focus()")
    run_page.keys(".")
    first = text_of(run_page, ".details dl")
    run_page.keys(".")
    assert first and text_of(run_page, ".details dl") != first
    unnamed = run_page.run(
        "return [...document.querySelectorAll('button, input, [role=img], [role=application]')]"
        ".filter((one) => !(one.textContent.trim() || one.getAttribute('aria-label'))).length"
    )
    assert unnamed == 0


@needs_browser
def test_other_launches_and_folded_cores(run_page):
    run_page.run("document.querySelectorAll('.launches button')[1].click()")
    run_page.run("return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")
    opened_cores = "return page.timeline.rows.cores.map((core) => core.open)"
    assert run_page.run(opened_cores) == [True, True, True]
    assert "AIC" in text_of(run_page, ".spacer") and "FIX" in text_of(run_page, ".spacer")
    run_page.run("document.querySelector('button.core').click()")
    assert run_page.run(opened_cores) == [False, True, True]


@needs_browser
def test_hostile_names_stay_text(window, pages):
    opened(window, pages / "hostile.html")
    assert window.run("return document.title") == HOSTILE
    assert window.run("return document.getElementById('injected')") is None
    assert text_of(window, "h1") == HOSTILE
    assert "not on the machine" in text_of(window, "figure.source")
    assert text_of(window, ".errors") == "" and text_of(window, ".warnings h2") == "1 warning"
    assert text_of(window, ".warnings article p") == HOSTILE
    assert window.errors() == []


@needs_browser
@pytest.mark.parametrize("width", [420, 1400])
@pytest.mark.parametrize("dark", [False, True])
def test_page_fits_the_window(pages, width, dark):
    with Browser(width=width, dark=dark) as one:
        opened(one, pages / "run.html")
        assert one.run("return document.documentElement.scrollWidth <= window.innerWidth")
        back = one.run("return getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", back)[:3])) < 200) == dark
        assert one.errors() == []
