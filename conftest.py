"""Close the network for all tests and the kernels they start, and mend what nbval 0.11.0 does not do well."""

import os
import sys
import time
from pathlib import Path
from queue import Empty

import nbval.kernel
import nbval.plugin
from xdist.scheduler import LoadScopeScheduling

HERE = Path(__file__).parent
LESSONS = sorted(path.stem for path in (HERE / "lessons").glob("[0-9][0-9]_*.py"))
KERNEL_SITE = str(HERE / "tests" / "kernel_site")

# a kernel imports sitecustomize from here when it starts; this process has started already and does so now
os.environ["PYTHONPATH"] = os.pathsep.join([KERNEL_SITE, *filter(None, [os.environ.get("PYTHONPATH")])])
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ["TQDM_DISABLE"] = "1"  # a progress bar is for who looks on: stored outputs keep no trace of it
sys.path.insert(0, KERNEL_SITE)
sys.modules.pop("sitecustomize", None)
import sitecustomize  # noqa: E402, F401


def _execute(self, cell_input, allow_stdin=None):
    """nbval asks for no history, and then IPython ignores a trailing `;` and keeps no In and Out."""
    return self.kc.execute(cell_input, store_history=True, allow_stdin=allow_stdin, stop_on_error=False)


def _await_reply(self, msg_id, timeout=None):
    """nbval waits out the whole limit for a kernel that has died: look every second whether it is alive."""
    end = time.monotonic() + (timeout or float("inf"))
    while True:
        try:
            reply = self.get_message("shell", timeout=max(0.01, min(1.0, end - time.monotonic())))
        except Empty:
            if not self.is_alive():
                raise RuntimeError("the kernel died: out of memory, or a crash in compiled code") from None
            if time.monotonic() >= end:
                raise
            continue
        if reply["parent_header"].get("msg_id") == msg_id:
            if reply["content"]["status"] == "aborted":
                raise RuntimeError("the kernel refused to run the cell: an earlier one had stopped it")
            return


def _patient(make):
    """nbval gives outputs 5 s to arrive, written into its code: too short for a machine that is busy."""

    def make_patient(self, *arguments, **keywords):
        make(self, *arguments, **keywords)
        self.output_timeout = 60

    return make_patient


def _listening(set_up):
    """Note the words that a notebook's code shows, from the first cell on."""

    def set_up_and_listen(self):
        self.seen = {}
        set_up(self)
        notebook_runs().ask_kernel(self.kernel, notebook_runs().LISTEN)

    return set_up_and_listen


def _remembering(run):
    """nbval compares no pictures and runs a notebook once: keep what came out, for the tests that look at it."""

    def run_and_remember(self):
        run(self)
        self.parent.seen[self.cell_num] = self.test_outputs

    return run_and_remember


def _running_again(tear_down):
    def run_again_and_tear_down(self):
        if self.kernel is not None and self.kernel.is_alive():
            notebook_runs().remember(Path(self.path), self.kernel, self.seen)
        tear_down(self)

    return run_again_and_tear_down


def notebook_runs():
    from tests import notebook_runs  # imports what the tests need, which is not there for a plain `pytest --help`

    return notebook_runs


def _sparing(set_up_coverage):
    """Measuring costs a fifth of a training's time, and other tests run the same lines: leave it out where a lesson trains."""

    def set_up_sparingly(config, kernel, path=None):
        if Path(str(path)).stem[:2] not in notebook_runs().TRAINING:
            set_up_coverage(config, kernel, path)

    return set_up_sparingly


nbval.plugin.setup_coverage = _sparing(nbval.plugin.setup_coverage)
nbval.plugin.IPyNbFile.setup = _listening(nbval.plugin.IPyNbFile.setup)
nbval.plugin.IPyNbCell.runtest = _remembering(nbval.plugin.IPyNbCell.runtest)
nbval.plugin.IPyNbFile.teardown = _running_again(nbval.plugin.IPyNbFile.teardown)
nbval.kernel.RunningKernel.execute_cell_input = _execute
nbval.kernel.RunningKernel.await_reply = _await_reply
nbval.plugin.IPyNbCell.__init__ = _patient(nbval.plugin.IPyNbCell.__init__)


class ByLesson(LoadScopeScheduling):
    """Several processes share the tests: a lesson's notebooks and the tests about them stay together, as does a file."""

    def _split_scope(self, nodeid):
        return next((lesson for lesson in LESSONS if lesson in nodeid), nodeid.split("::")[0])


def pytest_xdist_make_scheduler(config, log):
    return ByLesson(config, log)


def pytest_ignore_collect(collection_path):
    """Notebooks that are there to fail, the learner's own, and Jupyter's copies are no tests."""
    folders = collection_path.parts
    return True if {"canary", "work", ".ipynb_checkpoints"} & set(folders[len(HERE.parts) :]) else None
