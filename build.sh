#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The one command for people who build the package; `avo` is the command for people who use it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'EOF'
usage: ./build.sh COMMAND [OPTIONS]

  setup         creates a virtual environment and installs all tools in it with pip
  build         builds the libraries and the Python package, and makes them importable in that environment
  demo          resamples a recording, finds faces in a photograph, exports one detector to ONNX, trains another on one
                device and on several; leaves pictures in demo_output/
  test [OP]     runs all tests, or the tests of one operator; arguments after `--` go to pytest; with --target npu all
                cases pass through the project that `gen --target npu` writes, built for the simulated device
  fuzz [OP]     compares random calls of the CPU kernels with the reference for a minute; after `--`: --seconds N, --seed N;
                `fuzz arguments` gives the C functions, and `fuzz models` the readers of ONNX models, input that nobody
                should trust
  soak [OP]     calls kernels from 8 threads on a simulated device with little memory for a minute; after `--`:
                --seconds N, --seed N, --threads N
  onnxruntimes  installs other versions of ONNX Runtime in build/onnxruntimes, for the tests of ONNX nodes
  bench [OP]    compares the CPU kernels with the peers that are installed, in 19 minutes for all operators; `bench setup`
                installs the peers in an environment of their own, `bench --save` writes docs/benchmarks.md, `bench --gate`
                compares with that page, `bench overhead` measures what a call costs in addition to its work; `bench
                --random N` draws workloads and shows where a peer is faster; `bench cann [OP]` runs the kernels of the
                simulated device on the cases of CANN Bench and writes docs/cann_bench.md; `bench onnx` simplifies models of
                others with our passes and with other simplifiers, and writes docs/onnx_benchmarks.md; `bench --help`
                tells more
  performance [OP]
                measures the kernels on the simulated device, in minutes for all operators, and leaves out what has not
                changed since (-- --again: measures that too); writes docs/performance.md
  gen           writes the generated sources of a target and says where they are
  docs          writes operator pages and divergences to build/docs, and refreshes docs/operators.md
  check         checks format, lint, line budgets, families and duplicate helpers; `-- --fix` formats first
  package       makes what a release has in dist/: source distribution, a wheel for each Python that is found, the npu
                project, checksums, a bill of materials; with --target npu a custom-operator package, which needs CANN;
                `package -- --help` tells more
  clean         removes build/ and dist/; with --all also the virtual environment

  --target sim|npu        the target; sim where it is not given
  --ascend-headers DIR    build, test, demo, performance: compiles kernels against CANN's own AscendC headers in DIR, a
                          toolkit of 8.1 or 9.x, and runs these on the simulated device; objects stay in
                          build/ascend-headers (docs/simulator.md); AVO_ASCEND_HEADERS=DIR in the
                          environment does the same for everything that runs a kernel
                          check: also compiles host and kernel sources against the headers
  --own-names             gen, package: gives C functions that have a name of CANN's another one, aclnnVisionCummax in
                          place of aclnnCummax, so that the package takes the place of none (docs/operators.md)
  --only OP[,OP...]       build, test: uses a tree with these operators alone, which builds quickly, also after an edit;
                          `test OP --only` is short for `test OP --only OP`
  --cpu                   build, test, fuzz: uses a tree with the CPU kernels alone, which builds quickly
  --sanitize LIST         build, test, fuzz: uses a tree that is built with -fsanitize=LIST, which is address,undefined or
                          thread; thread implies --cpu, because memory of the simulated device faults on purpose
  --verbose               shows the output of tools on the terminal instead of writing it to build/logs/
  -h, --help

Environment: PYTHON (python3), CXX (c++ or g++), AVO_VENV (.venv), ASCEND_HOME_PATH (CANN, for --target npu).

Examples:
  ./build.sh demo
  ./build.sh test upsample_linear1d -- -k float16 -x
  ./build.sh test upsample_linear1d --only
  ./build.sh test --cpu --sanitize address,undefined
  ./build.sh fuzz --sanitize thread -- --seconds 300
  ./build.sh gen --target npu
EOF
}

die() { echo "build.sh: $*" >&2; exit 1; }
say() { echo "build.sh: $*"; }

# run LABEL COMMAND…: runs a command and writes its output to build/logs/LABEL.log. A terminal shows the last line; a
# failure shows the end.
run() {
  local label=$1 log=build/logs/$1.log status=0
  shift
  mkdir -p build/logs
  if [ "$verbose" = 1 ]; then "$@" || die "$label failed"; return; fi
  "$@" >"$log" 2>&1 &
  local pid=$!
  if [ -t 1 ]; then
    while kill -0 "$pid" 2>/dev/null; do
      printf '\r\033[K%s: %s' "$label" "$(tail -n 1 "$log" | tr -d '\r' | cut -c "1-$((${COLUMNS:-80} - ${#label} - 4))")"
      sleep 0.2
    done
    printf '\r\033[K'
  fi
  wait "$pid" || status=$?
  if [ "$status" != 0 ]; then
    [ -n "${hint:-}" ] || tail -n 40 "$log" >&2
    die "$label failed${hint:-}; whole output: $log"
  fi
}

# --- environment -------------------------------------------------------------------------------------------------

find_tools() {
  python=${PYTHON:-python3}
  command -v "$python" >/dev/null || die "no Python: '$python' is not on PATH (needs 3.10 or newer; PYTHON names another)"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
    die "$("$python" -V 2>&1) is too old: needs Python 3.10 or newer (PYTHON names another)"
  "$python" -c 'import venv, ensurepip' 2>/dev/null ||
    die "$python has no venv module (Debian: package python3-venv; or PYTHON names another)"
  "$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
    die "$python has no C headers (Debian: package python3-dev; or PYTHON names another)"
  if [ -z "${CXX:-}" ]; then
    CXX=$(command -v c++ || command -v g++ || command -v clang++) || die "no C++ compiler: needs g++ >= 11 or clang++ (CXX names one)"
  fi
  echo '#include <optional>
int main() { return std::optional<int>{}.has_value(); }' | "$CXX" -std=c++17 -fsyntax-only -x c++ - 2>/dev/null ||
    die "'$CXX' does not compile C++17: needs g++ >= 11 or clang++ (CXX names one)"
  export CXX
}

# requirements [GROUP]: prints requirements of pyproject.toml, one per line: those of a dependency group, or all that a
# build, a run and a developer need. It leaves torch out.
requirements() {
  "$venv/bin/python" - "$@" <<'EOF'
import sys
try:
    import tomllib
except ImportError:  # Python 3.10
    from pip._vendor import tomli as tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)
groups = project["dependency-groups"]
lists = [groups[name] for name in sys.argv[1:]] or [
    project["build-system"]["requires"], project["project"]["dependencies"],
    *project["project"]["optional-dependencies"].values(), groups["dev"]
]
print("\n".join(line for lines in lists for line in lines if not line.startswith("torch")))
EOF
}

setup() {
  local stamp=$venv/.avo-setup want site torch_site
  want=$(cat pyproject.toml build.sh | cksum; "$venv/bin/python" -V 2>&1) || true
  if [ -x "$venv/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then return; fi
  find_tools
  if [ ! -x "$venv/bin/python" ]; then
    say "virtual environment $venv ($("$python" -V))"
    run venv "$python" -m venv "$venv"
  fi
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  # While tools are installed, a reused torch is hidden; otherwise pip would rely on programs that lie beside it.
  rm -f "$site/avo_torch.pth"
  say "installing tools"
  requirements >"$venv/avo-requirements.txt"
  pip_install tools -r "$venv/avo-requirements.txt"
  if ! "$venv/bin/python" -c "$usable_torch" >/dev/null 2>&1; then
    # A torch that $python can import is reused with its dependencies. Its folder goes to the end of the path.
    if torch_site=$("$python" -c "$usable_torch" 2>/dev/null); then
      say "using the torch in $torch_site"
      echo "$torch_site" >"$site/avo_torch.pth"
    else
      say "installing torch 2.13.0"
      pip_install torch torch==2.13.0
    fi
  fi
  # Without CANN, torch would try to import torch_npu at every start, and fail.
  echo 'import os; "ASCEND_HOME_PATH" in os.environ or os.environ.setdefault("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")' \
    >"$site/avo_torch_npu.pth"
  # torch_npu runs on the simulated device. torchvision is an oracle. mmcv comes without compiled operators and is patched.
  setup_beside_torch torch_npu torch_npu==2.13.0
  setup_beside_torch torchvision torchvision==0.28.0
  setup_beside_torch mmcv mmcv-lite==2.2.0 mmengine==0.10.7 addict==2.4.0 yapf==0.43.0 termcolor==3.3.0 platformdirs==4.14.7
  sources highway "$venv/share/highway"
  (cat pyproject.toml build.sh | cksum; "$venv/bin/python" -V 2>&1) >"$stamp"
}

# setup_beside_torch MODULE REQUIREMENT…: installs packages for the installed torch, without their dependencies, which
# are for NPUs or CUDA, or a second copy of OpenCV.
setup_beside_torch() {
  local module=$1
  shift
  "$venv/bin/python" -c "import importlib.util as u, sys; sys.exit(u.find_spec('$module') is None)" && return
  "$venv/bin/python" -c 'import torch, sys; sys.exit(torch.__version__.split("+")[0] != "2.13.0")' ||
    { say "no $module: tried with torch 2.13.0 only"; return; }
  say "installing $*"
  (pip_install "$module" --no-deps "$@") || say "going on without $module"
}

# sources NAME FOLDER: fetches published sources that no package brings, if the folder is not there.
sources() {
  [ -e "$2" ] || say "fetching the sources of $1"
  run "setup-$1-sources" "$venv/bin/python" tools/sources.py "$1" "$2"
}

# Prints the folder of an importable torch of 2.10 or newer; 2.10 is the first with the stable ABI that we use.
usable_torch='
import os
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
import torch
assert tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 10)
print(os.path.dirname(os.path.dirname(torch.__file__)))'

pip_install() {
  export PIP_RETRIES=${PIP_RETRIES:-2}
  local label=setup-$1
  shift
  hint=': pip could not install it, no network?' run "$label" "$venv/bin/python" -m pip install --disable-pip-version-check --progress-bar off "$@"
}

# --- build -------------------------------------------------------------------------------------------------------

build() {
  setup
  if [ ! -f "$tree/build.ninja" ]; then
    [ -n "${CXX:-}" ] || find_tools
    say "configuring $tree"
    run configure "$venv/bin/cmake" -S . -B "$tree" -G Ninja "-DCMAKE_MAKE_PROGRAM=$venv/bin/ninja" \
      "-DPython_EXECUTABLE=$venv/bin/python" -DAVO_TESTS=ON "-DAVO_CPU_ONLY=$cpu" "-DAVO_SANITIZE=$sanitize" \
      "-DAVO_ONLY=${only//,/;}"
  fi
  say "building $tree"
  if [ "$cpu" = 1 ]; then
    run build "$venv/bin/cmake" --build "$tree" --target _native sanitizer_faults
  elif [ -n "$only" ]; then
    run build "$venv/bin/cmake" --build "$tree" --target _native avo_torch avo_onnxruntime
  else
    run build "$venv/bin/cmake" --build "$tree"
  fi
  [ "$tree" != build/sim ] || expose
}

# Compiles the kernels against the headers of --ascend-headers or AVO_ASCEND_HEADERS.
build_kernels() {
  [ -n "${AVO_ASCEND_HEADERS:-}" ] && [ "$cpu" = 0 ] || return 0
  say "kernels against $AVO_ASCEND_HEADERS: $(run_in_tree -m ascend_vision_ops.ascend_headers ${only//,/ })"
}

build_all() {
  build
  build_kernels
}

# Makes the package of the build tree importable, and puts `avo` on the environment's path.
expose() {
  local site
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  echo "$PWD/$tree/python" >"$site/ascend_vision_ops.pth"
  printf '#!%s/bin/python\nimport sys\n\nfrom ascend_vision_ops.cli import main\n\nsys.exit(main())\n' "$venv" >"$venv/bin/avo"
  chmod +x "$venv/bin/avo"
}

# need_contract OP: stops where no such operator exists. A contract lies in the folder of the operator's family.
need_contract() {
  compgen -G "op_host/*/$1.yaml" >/dev/null || die "no operator '$1': no file op_host/*/$1.yaml"
}

need_sim() { [ "$target" = sim ] || die "$command works on target sim only"; }

# --- commands ----------------------------------------------------------------------------------------------------

demo() {
  need_sim
  build
  local example
  for example in resample_recording detect_faces onnx_detector; do
    "$venv/bin/python" "examples/$example.py" "$@"
  done
  if "$venv/bin/python" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch_npu") is None)'; then
    "$venv/bin/python" examples/torch_detector.py "$@"
    "$venv/bin/python" examples/distributed_detector.py "$@"
  else
    say "torch_detector, distributed_detector: skipped, no torch_npu"
  fi
}

# run_in_tree ARGUMENT…: runs Python of the environment with the package of the tree and what its sanitizers need.
run_in_tree() {
  local env=("AVO_BUILD=$PWD/$tree" "PYTHONPATH=$PWD/$tree/python:$PWD") reports=$PWD/$tree/reports
  if [ -n "$sanitize" ]; then
    # The interpreter has no sanitizer runtime, so it is loaded first. libstdc++ too, or libasan cannot intercept throw.
    local cxx=${CXX:-c++} runtime=ubsan
    case $sanitize in *thread*) runtime=tsan ;; *address*) runtime=asan ;; esac
    env+=("LD_PRELOAD=$("$cxx" -print-file-name=lib$runtime.so) $("$cxx" -print-file-name=libstdc++.so)")
  fi
  if [ -n "$sanitize" ] && [ "$cpu" = 1 ]; then
    # Reports go to files and the program goes on, so that tests can say which call caused a report (testing/sanitizers.py).
    rm -rf "$reports"
    mkdir -p "$reports"
    env+=("AVO_SANITIZER_REPORTS=$reports" "ASAN_OPTIONS=detect_leaks=0:halt_on_error=0:log_path=$reports/asan"
      "UBSAN_OPTIONS=print_stacktrace=1:log_path=$reports/ubsan"
      # The interpreter and its libraries are not instrumented. Only what our code calls in them is of interest.
      "TSAN_OPTIONS=exitcode=0:ignore_noninstrumented_modules=1:log_path=$reports/tsan")
  elif [ -n "$sanitize" ]; then
    env+=(ASAN_OPTIONS=detect_leaks=0:handle_segv=0)  # faults on guarded memory are what some tests wait for
  fi
  env "${env[@]}" "$venv/bin/python" "$@"
}

# Tests the project of the target npu, which is built with the simulated device's toolkit.
run_project_tests() {
  [ "$cpu" = 0 ] || die "a tree of CPU kernels (--cpu) has no project for --target npu"
  build
  say "building the npu project"
  run build-npu "$venv/bin/cmake" --build "$tree" --target npu_project
  [ $# -gt 0 ] || set -- -q -n "$(nproc)" --dist worksteal
  AVO_NPU_PROJECT=$PWD/$tree/npu/build_out/vendors/ascend_vision_ops run_in_tree -m pytest \
    -o "testpaths=tests/test_ops.py tests/entries tests/test_bad_calls.py" ${operator:+--op "$operator"} "$@"
}

run_tests() {
  if [ "$target" = npu ]; then run_project_tests "$@"; return; fi
  build
  local tests=()
  if [ "$cpu" = 1 ]; then
    tests=(-m cpu_kernels -o "testpaths=tests/test_ops.py tests/test_large_results.py tests/fuzz tests/sanitizers")
  elif [ -n "$only" ]; then
    tests=(-o "testpaths=$(echo tests/test_ops.py tests/test_tilings.py tests/test_bad_calls.py tests/host/*/)")
    say "npu tensors, models and modules: not in a tree of few operators; ./build.sh test $operator runs their tests"
  else
    run build-tests "$venv/bin/cmake" --build "$tree" --target avo_tests
  fi
  # Without arguments of the user, tests share the cores. A debugger, for example, wants one process.
  [ $# -gt 0 ] || set -- -q -n "$(nproc)" --dist worksteal
  run_in_tree -m pytest "${tests[@]}" ${operator:+--op "$operator"} "$@"
}

fuzz() {
  need_sim
  [[ $operator != arguments && $operator != models ]] || [ "$cpu" = 0 ] ||
    die "a tree of CPU kernels (--cpu) has no fuzz $operator"
  build
  case $operator in
    arguments) run_in_tree -m ascend_vision_ops.testing.fuzz_arguments "$@"; return ;;
    models) run_in_tree -m tests.fuzz.models "$@"; return ;;
  esac
  run_in_tree -m ascend_vision_ops.testing.fuzz ${operator:+"$operator"} "$@"
}

soak() {
  need_sim
  [ "$cpu" = 0 ] || die "a tree of CPU kernels (--cpu) has no simulated device to soak"
  build
  run_in_tree -m ascend_vision_ops.testing.soak ${operator:+"$operator"} "$@"
}

# Installs the oldest version that the custom-op library serves and some later ones, beside the installed version, which
# is the newest that pip found. A version that does not exist for this Python is left out.
onnxruntimes() {
  need_sim
  setup
  local version folder packages
  for version in 1.17.3 1.20.1 1.24.4; do
    folder=build/onnxruntimes/$version
    [ ! -d "$folder/onnxruntime" ] || continue
    packages=("onnxruntime==$version")
    [[ $version != 1.17.* ]] || packages+=("numpy<2")  # what its wheels are built for
    say "installing ONNX Runtime $version in $folder"
    (pip_install "onnxruntime-$version" --no-deps --target "$folder" "${packages[@]}") || say "going on without"
  done
}

bench() {
  need_sim
  case " $operator $* " in
    " setup "*) bench_setup; return ;;
    " cann "*) build; run_in_tree -m benchmarks.cann "$@"; return ;;
    " onnx "*) bench_onnx "$@"; return ;;
    *" -h "* | *" --help "*) setup; PYTHONPATH=python "$venv/bin/python" -m benchmarks --help; return ;;
  esac
  build
  local python=$bench_venv/bin/python
  [ -x "$python" ] || { python=$venv/bin/python; say "some peers are not installed: ./build.sh bench setup"; }
  "$python" -m benchmarks ${operator:+"$operator"} "$@"
}

# The models lie in the environment of the peers.
bench_onnx() {
  build
  [ -x "$bench_venv/bin/python" ] || die "no other simplifiers to compare with: ./build.sh bench setup"
  "$bench_venv/bin/python" -m benchmarks.onnx "$@"
}

# Installs peers in an environment of their own, on top of the tools, the package and torch of the virtual environment.
bench_setup() {
  setup
  [ -n "${CXX:-}" ] || find_tools
  local site
  [ -x "$bench_venv/bin/python" ] || run venv-bench "$venv/bin/python" -m venv "$bench_venv"
  site=$("$bench_venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  # pip must not see the other environment, which has an older OpenCV.
  rm -f "$site/avo_bench.pth"
  requirements bench >"$bench_venv/avo-requirements.txt"
  say "installing $(tr '\n' ' ' <"$bench_venv/avo-requirements.txt")in $bench_venv"
  venv=$bench_venv pip_install bench --no-deps -r "$bench_venv/avo-requirements.txt"
  "$venv/bin/python" -c 'import sysconfig; print("import site; site.addsitedir(%r)" % sysconfig.get_path("purelib"))' \
    >"$site/avo_bench.pth"
  say "compiling operators of mmcv, minutes"
  sources mmcv "$bench_venv/src/mmcv-2.2.0"
  (PATH=$venv/bin:$PATH MAX_JOBS=$(nproc) run setup-mmcv-operators \
    "$bench_venv/bin/python" benchmarks/peers/mmcv.py "$bench_venv/src/mmcv-2.2.0") || say "going on without mmcv"
}

performance() {
  need_sim
  build
  "$venv/bin/python" -m tools.performance ${operator:+"$operator"} "$@"
}

opgen() { PYTHONPATH=python "$venv/bin/python" -m ascend_vision_ops.opgen "$@"; }

gen() {
  setup
  local out=build/$target
  [ "$target" = npu ] || out=$tree/gen
  opgen render --root . --out "$out" --target "$target" ${own_names:+--own-names}
  say "generated sources: $out"
}

docs() {
  need_sim
  build
  "$venv/bin/python" -m tools.docs --gen "$tree/gen" --out build/docs
}

check() {
  setup
  if [ -n "$ascend_headers" ]; then
    opgen check-headers --root . --headers "$ascend_headers"
  else
    say "check --ascend-headers: skipped, no DIR given"
  fi
  PYTHONPATH=python "$venv/bin/python" -m tools.check "$@"
}

package() {
  setup
  mkdir -p dist
  if [ "$target" = npu ]; then
    [ -n "${ASCEND_HOME_PATH:-}" ] || die "package --target npu needs CANN: ASCEND_HOME_PATH is not set (gen --target npu works without)"
    gen
    PATH=$venv/bin:$PATH run package-npu bash build/npu/build.sh
    cp -v build/npu/build_out/custom_opp_*.run dist/
  else
    [ -n "${CXX:-}" ] || find_tools
    "$venv/bin/python" -m tools.package ${own_names:+--own-names} "$@"
  fi
}

clean() {
  rm -rf build dist demo_output
  [ "$all" = 0 ] || rm -rf "$venv" "$bench_venv"
}

known_command() {
  case $command in
    setup | build | demo | test | fuzz | soak | onnxruntimes | bench | performance | gen | docs | check | package | clean) ;;
    '') usage; exit 2 ;;
    *) die "unknown command '$command' (see ./build.sh --help)" ;;
  esac
}

# --- command line ------------------------------------------------------------------------------------------------

command='' operator='' only='' target=sim ascend_headers='' sanitize='' cpu=0 verbose=0 all=0 own_names=''
while [ $# -gt 0 ]; do
  # Options that build.sh does not know belong to the benchmarks, and so does what stands behind `bench cann` and
  # `bench onnx`.
  case $command:$operator in bench:cann | bench:onnx) break ;; esac
  case $command:$1 in bench:--target | bench:--verbose | bench:--) ;; bench:-*) break ;; esac
  case $1 in
    -h | --help) usage; exit 0 ;;
    --target) target=${2:-}; shift ;;
    --ascend-headers) ascend_headers=${2:?--ascend-headers needs a DIR}; shift ;;
    --sanitize) sanitize=${2:?--sanitize needs a LIST}; shift ;;
    --only) case ${2:-} in '' | -*) only=${operator:?--only needs an OP} ;; *) only=$2; shift ;; esac ;;
    --cpu) cpu=1 ;;
    --own-names) own_names=1 ;;
    --verbose) verbose=1 ;;
    --all) all=1 ;;
    --) shift; break ;;
    -*) die "unknown option $1 (see ./build.sh --help)" ;;
    *) if [ -z "$command" ]; then command=$1; elif [ -z "$operator" ]; then operator=$1; else die "unexpected argument $1"; fi ;;
  esac
  shift
done
venv=$(realpath -ms "${AVO_VENV:-.venv}")  # absolute: CMake and scripts run elsewhere
case $target in sim | npu) ;; *) die "--target is sim or npu, not '$target'" ;; esac
case $sanitize in *thread*) cpu=1 ;; esac
kind=sim
[ "$cpu" = 0 ] || kind=cpu
[ -z "$only" ] || kind=only-${only//,/-}
tree=build/$kind${sanitize:+-${sanitize//,/-}}
bench_venv=$venv-bench
if [ -n "$operator" ]; then
  case $command in
    bench) [[ $operator == overhead || $operator == setup || $operator == cann || $operator == onnx ]] || need_contract "$operator" ;;
    fuzz) [[ $operator == arguments || $operator == models ]] || need_contract "$operator" ;;
    test | soak | performance) need_contract "$operator" ;;
    *) known_command; die "'$command' takes no operator" ;;
  esac
fi
for name in ${only//,/ }; do
  case $command in build | test) need_contract "$name" ;; *) known_command; die "'$command' takes no --only" ;; esac
done
[ -z "$only" ] || [[ ",$only," == *",${operator:-${only%%,*}},"* ]] ||
  die "--only: expected $operator among the operators, got $only"
known_command
[ -z "$own_names" ] || [ "$command" = gen ] || [ "$command" = package ] || die "'$command' takes no --own-names"
if [ -n "$ascend_headers" ]; then
  case $command in
    build | test | demo | performance)
      [ "$cpu" = 0 ] || die "--ascend-headers: a tree of CPU kernels (--cpu) has no kernels to compile against headers"
      [ -d "$ascend_headers" ] || die "--ascend-headers: expected a folder, got $ascend_headers"
      AVO_ASCEND_HEADERS=$(realpath "$ascend_headers")
      export AVO_ASCEND_HEADERS
      unset AVO_SIM_KERNELS ;;
    check) ;;
    *) die "'$command' takes no --ascend-headers" ;;
  esac
fi

case $command in
  test) run_tests "$@" ;;
  build) build_all "$@" ;;
  *) "$command" "$@" ;;
esac
