"""The story in five minutes: each scene shows what it says, it goes on by itself, and the reader's own state comes back; and
numbers that stand side by side on a narrow window do not run together."""

import json

import program
import pytest

PAGE = program.BUILT / "index.html"
OWN = "word=lol&T=6&logits=uniform&step=4&view=product&cell=2,3"


def said(page, name: str) -> str:
    return page.evaluate(f"document.getElementById('story-{name}').textContent")


def scene(page) -> int:
    return page.evaluate("assay.story.at")


def test_each_scene_shows_its_problem_and_the_reader_gets_his_own_back(page):
    page.open(PAGE, OWN)
    before = page.evaluate("location.hash")
    page.click("#story-start")
    count = int(said(page, "place").split(" of ")[1])
    shown = []
    for i in range(count):
        page.settled()
        assert scene(page) == i and len(said(page, "says").split()) > 20
        fields = ", ".join(f"assay.state.{name}" for name in ("word", "T", "view", "number", "path"))
        shown.append(page.evaluate(f"JSON.stringify([{fields}])"))
        page.click("#story-on")
    page.settled()
    assert scene(page) == -1 and page.evaluate("document.getElementById('story').hidden")
    assert page.evaluate("location.hash") == before
    assert len(set(shown)) > 8 and json.loads(shown[2])[:2] == ["hello", 13]
    spelt = [json.loads(one)[4] for one in shown[1:3]]
    assert all(path is not None and len(path) == 13 for path in spelt) and 0 not in spelt[0] and 0 in spelt[1]


def test_it_takes_five_minutes(page):
    page.open(PAGE)
    page.click("#story-start")
    count = int(said(page, "place").split(" of ")[1])
    words = []
    for _ in range(count):
        words.append(len(said(page, "says").split()))
        page.click("#story-on")
    assert 240 <= sum(words) / 2.3 + 3 * count <= 330


def test_it_goes_on_by_itself_until_it_is_paused(page):
    page.open(PAGE)
    page.evaluate("assay.story.pace = 0.02")
    page.click("#story-start")
    page.wait_for("assay.story.at >= 2")
    page.click("#story-pause")
    at = scene(page)
    page.evaluate("new Promise((done) => setTimeout(done, 900))")
    assert scene(page) == at and said(page, "pause") == "Go on"
    page.click("#story-pause")
    page.wait_for("assay.story.at === -1", 60)


def test_the_loss_falls_in_the_scene_on_learning(page):
    page.open(PAGE)
    page.evaluate("assay.story.pace = 0.05")
    page.click("#story-start")
    page.click("#story-pause")
    while "a step down the gradient" not in said(page, "says"):
        page.click("#story-on")
    page.settled()
    before = page.evaluate("Number(assay.model.exact.loss)")
    page.click("#story-pause")
    page.wait_for(f"Number(assay.model.exact.loss) < {before} / 2")
    page.key("Escape")
    assert scene(page) == -1


def test_who_wants_less_motion_turns_the_scenes(page):
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    page.open(PAGE)
    page.evaluate("assay.story.pace = 0.001")
    page.click("#story-start")
    page.evaluate("new Promise((done) => setTimeout(done, 500))")
    assert scene(page) == 0 and said(page, "pause") == "Go on"


# For each row of a table the gap between what a cell shows and what the next one shows.
GAPS = """(() => {
  const gaps = [];
  for (const row of document.querySelectorAll(".frames tr")) {
    let right = null;
    for (const cell of row.children) {
      const range = document.createRange();
      range.selectNodeContents(cell.querySelector(".output") ?? cell);
      const box = range.getBoundingClientRect();
      if (!cell.textContent.trim() || box.width === 0) continue;
      if (right !== null) gaps.push(box.left - right);
      right = box.right;
    }
  }
  return Math.min(...gaps);
})()"""


@pytest.mark.parametrize("T", [13, 16])
@pytest.mark.parametrize(
    "shown", ["step=2&view=alpha", "step=3&view=product&space=log", "step=4&number=half", "step=5&number=50"]
)
def test_numbers_on_a_narrow_window_do_not_run_together(page, T, shown):
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
    page.open(PAGE, f"word=hello&T={T}&logits={'speech' if T == 13 else 'peaky'}&{shown}")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate(GAPS) >= 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_numbers_that_run_together_are_noticed(page):
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
    page.open(PAGE, "word=hello&T=13&logits=speech&step=2")
    page.evaluate("""document.head.append(
        Object.assign(document.createElement("style"), {textContent: ".frames td { font-size: 1.2rem }"}))""")
    assert page.evaluate(GAPS) < 2
