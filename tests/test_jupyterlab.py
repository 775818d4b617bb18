"""A real JupyterLab in a real browser: open a lesson, Run All, no error, its pictures on the page; the network is closed."""

import nbformat
import pytest

from tests.browser import browser, jupyterlab
from tests.notebook_runs import pictures
from tools import NOTEBOOKS, lessons

# the code of both languages is the same: every lesson once, in turn in English and in Korean
BADGE = (
    "https://colab.research.google.com/assets/colab-badge.svg"  # the one picture from afar; its words stand in for it
)
OPENED = [f"{lessons.LANGUAGES[i % 2]}/{source.stem}.ipynb" for i, source in enumerate(lessons.sources())]
RUN_ALL = """async () => {
    const app = window.jupyterapp, widget = app.shell.currentWidget;
    await widget.context.ready;
    await widget.sessionContext.ready;
    const done = await app.commands.execute('notebook:run-all-cells');
    const notebook = JSON.stringify(widget.content.model.sharedModel.toJSON());
    await widget.sessionContext.shutdown();
    return [done, notebook];
}"""
SEEN = """async () => {
    const whole = document.querySelector('.jp-WindowedPanel-outer'), seen = new Set();
    for (let at = 0; at < whole.scrollHeight; at += 400) {
        whole.scrollTop = at;
        await new Promise(resolve => setTimeout(resolve, 60));
        document.querySelectorAll('.jp-RenderedImage img').forEach(img => img.naturalWidth > 100 && seen.add(img.src));
    }
    return seen.size;
}"""


@pytest.fixture(scope="module")
def page_of(tmp_path_factory):
    """Open a notebook of a fresh working copy. At the end: no script has failed, and nothing was asked for elsewhere."""
    with (
        jupyterlab(tmp_path_factory.mktemp("work"), "--LabApp.expose_app_in_browser=True") as here,
        browser() as chromium,
    ):
        trouble = []

        def page_of(place):
            page = chromium.new_page(viewport={"width": 1300, "height": 1000})
            page.on("pageerror", lambda error: trouble.append(str(error)))
            page.on("request", lambda request: "127.0.0.1" in request.url or trouble.append(request.url))
            page.goto(f"{here}/lab/workspaces/{place[3:5]}/tree/{place}", wait_until="domcontentloaded")
            page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
            return page

        yield page_of
        assert [what for what in trouble if not what.startswith(("data:", "blob:", BADGE))] == []


@pytest.mark.parametrize("place", OPENED)
def test_a_lesson_opens_runs_and_shows_its_pictures(page_of, place):
    page = page_of(place)
    page.set_default_timeout(180_000)
    done, text = page.evaluate(RUN_ALL)
    notebook = nbformat.reads(text, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert done and all(cell.execution_count for cell in code if cell.source)
    assert [o for cell in code for o in cell.outputs if o.output_type == "error" or o.get("name") == "stderr"] == []
    stored = pictures(nbformat.read(NOTEBOOKS / place, as_version=4))
    assert pictures(notebook).keys() == stored.keys()
    assert page.evaluate(SEEN) >= len(stored) and page.locator(".jp-Dialog").count() == 0
    page.close()
