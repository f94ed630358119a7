"""The page's controls: what they change, what the address keeps, and whether anybody can reach and read them."""

import pathlib
import re

import pytest
from test_page import PAGE, SPIKY, assert_as_in_a_terminal, bar, response


def test_controls_change_the_problem(page):
    page.open(PAGE, "")
    page.evaluate("document.getElementById('word').select(), document.getElementById('word').focus()")
    page.type("To be!")
    page.settled()
    assert page.evaluate("assay.state.word") == "to be"
    page.click("#uniform")
    page.settled()
    assert page.evaluate("assay.state.logits.flat().every((x) => x === 0)")
    page.click("#random")
    page.settled()
    assert page.evaluate("new Set(assay.state.logits.flat()).size") > 5
    assert_as_in_a_terminal(page)
    page.click("#speech")
    page.settled()
    assert page.evaluate("[assay.state.word, assay.state.T]") == ["hello", 13]
    assert response(page)["loss"].startswith("0.0031196215709")
    page.click("#all-classes")
    page.settled()
    assert page.evaluate("assay.state.logits[0].length") == 5
    assert_as_in_a_terminal(page)


def test_the_walk_is_walked(page):
    page.open(PAGE, "")
    for step in range(1, 7):
        assert page.evaluate("document.getElementById('walk-title').textContent").startswith(f"{step}. ")
        tries = page.evaluate("document.querySelectorAll('#walk-text .try').length")
        assert tries > 0 and page.evaluate("document.querySelectorAll('#walk-text math').length") > 0
        for i in range(1, tries + 1):
            page.click(f"#walk-text .try:nth-of-type({i})")
            page.settled()
            assert_as_in_a_terminal(page)
        if step < 6:
            page.click("#on")
            page.settled()


def test_the_address_keeps_what_is_seen(page):
    page.open(PAGE, "word=ab&T=5&number=half&space=log&view=beta_including&cell=2,1&step=3&logits=" + SPIKY)
    page.drag(bar(2, 1), up=10)
    page.settled()
    fragment, seen = page.evaluate("location.hash.slice(1)"), page.evaluate("[assay.state, assay.model.response]")
    page.open(PAGE, fragment)
    assert page.evaluate("[assay.state, assay.model.response]") == seen
    page.open(PAGE, "word=&T=99&number=octal&cell=9&logits=x")
    kept = page.evaluate("[assay.state.word, assay.state.T, assay.state.number, assay.state.cell]")
    assert kept == ["", 5, "double", None]


NOTE = "document.getElementById('frames-note').textContent"


@pytest.mark.parametrize("fragment", ["word=cat&T=40", "word=cat&T=17&logits=uniform", "logits=speech&word=hello&T=99"])
def test_frames_that_are_not_drawn_are_said(page, fragment):
    asked = re.search(r"T=(\d+)", fragment)[1]
    page.open(PAGE, fragment)
    assert page.evaluate("assay.state.T") == 5
    assert page.evaluate(NOTE).startswith(f"{asked} frames are not drawn: this page shows at most 16, now 5.")
    page.click("#uniform")
    page.settled()
    assert "not drawn" not in page.evaluate(NOTE), "until the next change"


def test_frames_that_are_typed_and_not_drawn_are_said(page):
    page.open(PAGE, "word=cat&T=4&logits=uniform")

    def typed(value):
        page.evaluate(f"""(() => {{ const input = document.getElementById('frames'); input.value = {value!r};
            input.dispatchEvent(new Event('input')); }})()""")
        page.settled()
        return page.evaluate(f"[assay.state.T, {NOTE}, document.getElementById('frames').value]")

    T, note, value = typed("40")
    assert (T, value) == (4, "40") and note.startswith("40 frames are not drawn: this page shows at most 16, now 4.")
    assert typed("16") == [16, "", "16"]
    assert typed("2") == [2, "3 frames needed", "2"]


def test_nothing_is_fetched_and_nothing_goes_wrong(page):
    page.open(PAGE, "word=hello&T=8&number=half")
    page.drag(bar(1, 1), up=20)
    page.click("#copy")
    page.settled()
    assert page.complaints() == []
    assert page.fetched() == []


def test_the_checks_for_complaints_and_fetches_can_fail(page):
    page.open(PAGE, "")
    page.evaluate("console.error('planted')")
    page.evaluate("fetch('https://example.invalid/planted').catch(() => 0)")
    assert page.complaints() != [], "the console, and the page's own policy against all fetches"
    page.events.clear()


@pytest.mark.parametrize("fragment", ["", "word=abcdefgh&T=16&step=5&number=50", "word=cat&T=1000000",
                                      "logits=speech&word=hello&T=13&space=log&step=6"])
def test_a_phone_does_not_scroll_sideways(page, fragment):
    page.call("Emulation.setDeviceMetricsOverride", width=360, height=780, deviceScaleFactor=2, mobile=True)
    page.open(PAGE, fragment)
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    page.settled()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate("innerWidth") == 360, "the page was not laid out wider and shrunk"


@pytest.mark.parametrize("space", ["probability", "log"])
def test_numbers_do_not_run_together_on_a_phone(page, space):
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
    page.open(PAGE, f"step=2&view=alpha&word=hello&T=13&classes=all&logits=speech&space={space}")
    crowded = """[...document.querySelectorAll(".frames td")].filter((cell) => {
        const range = document.createRange(), walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        if (!walk.nextNode()) return false;
        range.selectNodeContents(walk.currentNode);
        return range.getBoundingClientRect().width > cell.getBoundingClientRect().width - 2;
    }).map((cell) => cell.textContent)"""
    assert page.evaluate("document.querySelectorAll('.frames td').length") > 300
    assert page.evaluate(crowded) == []
    page.evaluate("document.body.style.letterSpacing = '2px'")
    assert page.evaluate(crowded) != [], "numbers that touch are found"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(page, scheme):
    contrast = pathlib.Path(__file__).with_name("contrast.js").read_text()
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    for fragment in ("word=hello&T=8&step=5&cell=3,3",
                     "word=cat&T=3&number=half&path=2,1,3&logits=0,0,6,0;4.5,-4.5,0,0;0,0,0,6",
                     "word=aab&T=6&scale=10&number=half&step=3"):
        page.open(PAGE, fragment)
        page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
        worst = page.evaluate(contrast)
        assert len(worst) > 100 and worst[0]["ratio"] >= 4.5, worst[:5]
    page.evaluate("document.body.style.setProperty('--faint', '#777777')")
    assert page.evaluate(contrast)[0]["ratio"] < 4.5, "a colour between the two is found"
    page.call("Emulation.setEmulatedMedia", features=[])


def test_tab_reaches_every_control(page):
    page.open(PAGE, "word=cat&T=5&step=2")
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    page.settled()
    page.evaluate("""document.querySelectorAll('button, input, summary, [tabindex]').forEach(
        (control, i) => { control.dataset.control = i; })""")
    wanted = set(page.evaluate("""[...document.querySelectorAll('[data-control]')].filter((control) =>
        control.tabIndex >= 0 && !control.disabled && control.checkVisibility() && (control.type !== 'radio' || control.checked))
        .map((control) => control.dataset.control)"""))
    page.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(len(wanted) + 3):
        page.key("Tab")
        reached.add(page.evaluate("document.activeElement.dataset.control"))
        visible = page.evaluate("""(() => {
            const focused = document.activeElement;
            const style = getComputedStyle(focused.matches('.choice input') ? focused.nextSibling : focused);
            return style.outlineStyle !== 'none' && style.outlineWidth !== '0px'; })()""")
        assert visible or page.evaluate("document.activeElement === document.body"), "what has the focus shows it"
    assert wanted - reached == set()
    assert len(wanted) > 40


def test_every_control_has_a_name(page):
    page.open(PAGE, "word=hello&T=8&step=4")
    page.call("Accessibility.enable")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    page.call("Accessibility.disable")
    roles = {"button", "slider", "textbox", "spinbutton", "radio", "checkbox", "table", "grid"}
    nameless = [node for node in nodes if node.get("role", {}).get("value") in roles and not node["name"]["value"]]
    assert nameless == []
    assert sum(node.get("role", {}).get("value") == "slider" for node in nodes) == 5 * 8 + 2, "the bars, the sweep, the steps of the collapse"
