"""The page in a browser, used by mouse, finger and keyboard; its numbers are held against the program's."""

import copy
import json
import pathlib
import re
import wave
from xml.etree import ElementTree

import program
import pytest

PAGE = program.BUILT / "index.html"
NUMBERS = ["half", "bfloat16", "float", "double", "50"]
SPACES = ["probability", "scaled", "log"]
VIEWS = ["alpha", "beta_including", "beta_excluding", "product"]
CLASS_BANDS = ["posterior", "output_error", "gradient_two_step", "gradient"]

# Logits of all sizes: at a scale of 50 they underflow in every number type.
SPIKY = "3,-2.25,1;0,4,-7.5;8,-8,0.25;0.5,0.5,0;-3,2,1"


def response(page) -> dict:
    return page.evaluate("assay.model.response")


def bar(t: int, row: int) -> str:
    return f"#logits tbody tr:nth-child({row + 1}) td:nth-child({t + 2}) .bar"


def cell(t: int, s: int) -> str:
    return f"#lattice tbody tr:nth-child({s + 1}) td:nth-child({t + 2}) .cell"


def shown(page, table: str, count: int) -> list[list[str]]:
    """The full texts of a table's cells, [T][rows], of its first rows."""
    rows = page.evaluate(f"""[...document.querySelectorAll('{table} tbody tr')].slice(0, {count}).map(
        (row) => [...row.querySelectorAll('[data-value]')].map((cell) => cell.dataset.value))""")
    return [list(column) for column in zip(*rows)]


def assert_as_in_a_terminal(page) -> None:
    """All that the page holds, and all that its tables show, is what the program prints."""
    request = page.evaluate("JSON.stringify(assay.model.request)")
    expected = json.loads(program.answered(request))
    assert program.differences(response(page), expected) == []
    command = page.evaluate("document.getElementById('command').textContent")
    assert program.differences(program.printed(command), expected) == []
    classes = page.evaluate("assay.shownClasses")

    def of_classes(field: str) -> list[list[str]]:
        return [[row[k] for k in classes] for row in expected[field]]

    assert shown(page, "#logits", len(classes)) == of_classes("y")
    assert shown(page, "#lattice", len(expected["states"])) == expected[page.evaluate("assay.state.view")]
    for band in CLASS_BANDS:
        assert shown(page, f'[data-band="{band}"]', len(classes)) == of_classes(band)
    under = [name for name in ("invariant_including", "invariant_excluding", "scale") if expected[name] is not None]
    sums = [list(column) for column in zip(*(expected[name] for name in under))]
    assert shown(page, '[data-band="invariant"]', 2) == sums
    for place, field in (("p", "p"), ("loss", "loss")):
        assert page.evaluate(f"document.getElementById('{place}').dataset.value") == expected[field]


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("number", NUMBERS)
def test_every_number_is_the_programs(page, number, space):
    page.open(PAGE)
    for problem in (f"word=ab&T=5&logits={SPIKY}", f"word=aab&T=5&scale=50&logits={SPIKY}",
                    "logits=speech&word=hello&T=13"):
        page.go(f"{problem}&number={number}&space={space}")
        assert_as_in_a_terminal(page)


def test_every_view_is_the_programs(page):
    page.open(PAGE, "word=aab&T=6&logits=uniform&number=float")
    for view in VIEWS:
        page.click(f'#view input[value="{view}"] + span')
        page.settled()
        assert page.evaluate("assay.state.view") == view
        assert_as_in_a_terminal(page)


def test_a_changed_digit_would_be_seen(page):
    page.open(PAGE, "word=aab&T=6")
    expected = json.loads(program.answered(page.evaluate("JSON.stringify(assay.model.request)")))
    for field in expected:
        wrong = copy.deepcopy(expected)
        holder, key = wrong, field
        while isinstance(holder[key], list):
            holder, key = holder[key], len(holder[key]) - 1
        if holder[key] is None:
            continue
        holder[key] = str(holder[key])[:-1] + ("7" if str(holder[key])[-1] != "7" else "3")
        assert len(program.differences(response(page), wrong)) == 1, field


def test_the_mouse_drags_a_logit(page):
    page.open(PAGE, "word=cat&T=5&logits=uniform")
    before = response(page)
    page.drag(bar(2, 1), up=30)
    page.settled()
    logits = page.evaluate("assay.state.logits")
    assert logits[2][1] > 1 and logits[2][1] % 0.25 == 0
    logits[2][1] = 0
    assert logits == [[0] * 4] * 5, "only the bar that was dragged"
    assert response(page)["loss"] != before["loss"]
    assert_as_in_a_terminal(page)
    page.drag(bar(2, 1), up=-200)
    page.settled()
    assert page.evaluate("assay.state.logits[2][1]") == -8


def test_a_finger_drags_a_logit(page):
    page.call("Emulation.setDeviceMetricsOverride", width=360, height=780, deviceScaleFactor=2, mobile=True)
    page.call("Emulation.setTouchEmulationEnabled", enabled=True)
    page.open(PAGE, "word=cat&T=5&logits=uniform")
    page.swipe(bar(1, 2), up=25)
    page.settled()
    assert page.evaluate("assay.state.logits[1][2]") > 1
    page.call("Emulation.setTouchEmulationEnabled", enabled=False)


def test_keys_change_a_logit_and_walk_among_them(page):
    page.open(PAGE, "word=cat&T=5&logits=uniform")
    page.evaluate(f"document.querySelector('{bar(0, 0)}').focus()")
    for key in ("ArrowUp", "PageUp", "PageUp", "ArrowDown", "ArrowUp", "PageDown"):
        page.key(key)
    page.settled()
    assert page.evaluate("assay.state.logits[0][0]") == 2.25
    page.key("ArrowRight")
    page.key("ArrowDown", shift=True)
    page.key("End")
    page.key("ArrowRight")
    page.key("Home")
    page.settled()
    logits = page.evaluate("assay.state.logits")
    assert (logits[1][1], logits[2][1]) == (8, -8)
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "logit of a, frame 2"
    assert page.evaluate("document.activeElement.getAttribute('aria-valuetext')").startswith("-8, y: ")
    assert_as_in_a_terminal(page)


def test_a_cell_shows_its_own_sum(page):
    page.open(PAGE, "word=aab&T=6&logits=uniform&number=float")
    page.click(cell(3, 3))
    page.settled()
    text = page.evaluate("document.getElementById('recursion').textContent")
    assert "no skip between equal labels" in text
    expected = response(page)["alpha"]
    values = page.evaluate("[...document.querySelectorAll('#recursion .number')].map((number) => number.title)")
    assert values == [expected[2][3], expected[2][2], response(page)["y"][3][1], expected[3][3]]
    page.key("ArrowDown")
    page.key("ArrowDown")
    page.settled()
    assert page.evaluate("assay.state.cell") == [3, 5]
    assert "no skip" not in page.evaluate("document.getElementById('recursion').textContent")
    assert page.evaluate("document.querySelectorAll('.edges .summed').length") == 3
    assert page.evaluate("document.querySelectorAll('.edges .forbidden').length") == 0
    page.key("ArrowUp")
    page.key("ArrowUp")
    page.settled()
    assert page.evaluate("document.querySelectorAll('.edges .forbidden').length") == 1


def test_underflow_is_marked_and_50_digits_have_none(page):
    lost = "document.querySelectorAll('#lattice [data-mark=lost]').length"
    page.open(PAGE, "word=ab&T=5&scale=10&number=half&logits=" + SPIKY)
    assert page.evaluate(lost) > 5
    assert "underflowed" in page.evaluate("document.getElementById('lost').textContent")
    texts = page.evaluate("[...document.querySelectorAll('#lattice [data-mark=lost]')].map((cell) => cell.textContent)")
    assert set(texts) == {"0"}
    page.click('#space input[value="log"] + span')
    page.settled()
    assert page.evaluate(lost) == 0, "logarithms do not underflow"
    page.click('#space input[value="probability"] + span')
    page.click('#number input[value="50"] + span')
    page.settled()
    assert page.evaluate(lost) == 0
    assert page.evaluate("document.getElementById('lost').dataset.lost") == "0"


def test_what_is_not_a_number_is_marked(page):
    page.open(PAGE, "word=cat&T=3&logits=0,0,6,0;4.5,-4.5,0,0;0,0,0,6&number=half")
    assert page.evaluate("document.querySelectorAll('[data-band=gradient_two_step] [data-mark=nan]').length") > 0
    assert page.evaluate("document.querySelectorAll('[data-band=gradient] [data-mark=nan]').length") == 0
    assert "not a number in two steps" in page.evaluate("document.getElementById('lost').textContent")


def test_what_is_not_a_number_says_why(page):
    faint = "word=cat&T=3&logits=0,0,6,0;4.5,-4.5,0,0;0,0,0,6&number=half"
    said = "document.getElementById('lost').textContent"
    page.open(PAGE, faint)
    assert "Nothing but y² underflowed." in page.evaluate(said) and "0 / 0" in page.evaluate(said)
    page.open(PAGE, faint.replace("half", "double"))
    assert "Nothing underflowed." in page.evaluate(said) and "y²" not in page.evaluate(said)


def test_a_step_down_the_gradient_lowers_the_loss(page):
    page.open(PAGE, "word=aab&T=6&logits=uniform")
    losses = []
    for _ in range(3):
        losses.append(float(response(page)["loss"]))
        page.click("#descend")
        page.settled()
    assert losses[0] > losses[1] > losses[2] > float(response(page)["loss"])
    assert "The loss was" in page.evaluate("document.getElementById('descended').textContent")
    assert_as_in_a_terminal(page)
    page.open(PAGE, "word=aab&T=3&logits=uniform")
    assert page.evaluate("document.getElementById('descend').disabled"), "an infinite loss has no gradient"


def test_the_lattice_fills_frame_by_frame(page):
    later = "[...document.querySelectorAll('#lattice tbody tr:first-child .cell')].map((cell) => +('later' in cell.dataset))"
    page.open(PAGE, "word=cat&T=5&logits=uniform")
    assert page.evaluate(later) == [0] * 5
    page.evaluate("document.getElementById('sweep').focus()")
    page.key("ArrowLeft")
    page.key("ArrowLeft")
    assert page.evaluate(later) == [0, 0, 0, 1, 1]
    page.key("ArrowRight")
    assert page.evaluate(later) == [0, 0, 0, 0, 1]
    page.click('#view input[value="beta_excluding"] + span')
    page.settled()
    page.evaluate("document.getElementById('sweep').focus()")
    page.key("ArrowLeft")
    assert page.evaluate(later) == [1, 0, 0, 0, 0], "beta comes from the end"
    page.click("#play")
    page.wait_for(f"({later}).join() === '0,0,0,0,0'", 5)


@pytest.mark.parametrize("fragment", ["word=cat&T=5", "logits=speech&word=hello&T=13&classes=all"])
def test_numbers_and_equations_fit_on_a_desktop(page, fragment):
    page.call("Emulation.setDeviceMetricsOverride", width=1440, height=900, deviceScaleFactor=1, mobile=False)
    cut = "[...document.querySelectorAll('td, .equation')].filter((e) => e.scrollWidth > e.clientWidth + 1).length"
    for step in range(1, 7):
        page.open(PAGE, fragment + f"&step={step}")
        page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
        assert page.evaluate(cut) == 0, step
    page.evaluate("document.querySelector('.equation').style.width = '20px'")
    assert page.evaluate(cut) == 1, "a cut equation is found"


def test_alignments_are_listed_and_drawn(page):
    page.open(PAGE, "word=aab&T=5")
    request = page.evaluate("({...assay.model.request, T: assay.state.T})")
    expected = json.loads(program.answered(json.dumps(request), "--alignments"))
    listed = page.evaluate("""[...document.querySelectorAll('#alignments button')].map(
        (button) => [button.dataset.alignment, button.querySelector('.number').dataset.value])""")
    alignments = [",".join(map(str, alignment)) for alignment in expected["alignments"]]
    assert sorted(map(tuple, listed)) == sorted(zip(alignments, expected["probability"]))
    assert page.evaluate("document.querySelector('#alignments .total').dataset.value") == expected["p"]
    assert listed[0][0] == ",".join(map(str, expected["best"]))
    page.click("#alignments li:nth-child(2) button")
    page.settled()
    assert page.evaluate("document.querySelectorAll('.edges .on-path').length") == 4
    assert page.evaluate("document.querySelectorAll('.cell[data-path]').length") == 5
    page.open(PAGE, "word=cat&T=4&logits=uniform")
    page.go("word=bat&T=4&logits=uniform")  # the same labels, and so the same numbers, of other letters
    assert page.evaluate("document.querySelector('#alignments .spelt').textContent.includes('b')")
    page.open(PAGE, "word=hello&T=13&logits=speech")
    assert page.evaluate("document.querySelector('#alignments .headline').textContent").startswith("19 448 alignments")
    assert page.evaluate("[...document.querySelectorAll('#alignments .spelt')].map((best) => best.textContent)") == [
        "–hel–lloo––––"]


def collapsed(page) -> list[str]:
    """The rows of the table, without the frames whose turn has not come."""
    return page.evaluate("""[...document.querySelectorAll('#collapse-table tbody tr')].map(
        (row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent).join(''))""")


def test_an_alignment_collapses_step_by_step(page):
    said = "document.getElementById('collapse-said').textContent"
    page.open(PAGE, "word=hello&T=13&classes=all&logits=speech")
    assert collapsed(page) == ["–hel–lloo––––", "", ""]
    assert page.evaluate("document.getElementById('collapse-back').disabled")
    for _ in range(7):
        page.click("#collapse-on")
    assert collapsed(page)[1] == "–hel–l×", "the second l of a run is merged; the one after a blank is not"
    assert page.evaluate(said) == "Frame 6: l again, as in frame 5. It is merged."
    page.evaluate("document.getElementById('collapse-step').focus()")
    for _ in range(18):
        page.key("ArrowRight")
    page.key("ArrowRight")
    assert collapsed(page) == ["–hel–lloo––––", "–hel–l×o×–×××", "×hel×lo×"]
    assert page.evaluate(said) == "Frame 12: merged already. So far: hello."
    page.click("#collapse-back")
    assert page.evaluate("document.getElementById('collapse-step').value") == "25"
    page.open(PAGE, "word=aab&T=5&logits=uniform")
    page.click("#alignments li:nth-child(3) button")
    page.settled()
    chosen = page.evaluate("document.querySelector('#alignments [aria-pressed=true] .spelt').textContent")
    assert collapsed(page)[0] == chosen, "the alignment that was chosen"
    page.open(PAGE, "word=aab&T=3&logits=uniform")
    assert page.evaluate("document.getElementById('collapse').hidden"), "there is no alignment"


def test_the_lattice_is_saved_as_a_picture(page):
    page.open(PAGE, "word=cat&T=5&cell=2,3&logits=peaky")
    page.evaluate("""(() => {
        URL.createObjectURL = (blob) => { assay.blob = blob; return "#"; };
        HTMLAnchorElement.prototype.click = function () { assay.download = this.download; };
    })()""")
    page.click("#save-svg")
    page.wait_for("assay.download === 'ctc-cat-alpha.svg'")
    picture = ElementTree.fromstring(page.evaluate("assay.blob.text()"))
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    for number in page.evaluate("[...document.querySelectorAll('#lattice .cell')].map((cell) => cell.textContent)"):
        assert number in texts
    lines = list(picture.iter("{http://www.w3.org/2000/svg}line"))
    assert len(lines) == page.evaluate("document.querySelectorAll('#lattice .edges line').length")
    colours = {node.get(name) for node in picture.iter() for name in ("fill", "stroke") if node.get(name)}
    assert all(re.fullmatch("none|#[0-9a-f]{6}", colour) for colour in colours) and len(colours) > 5
    page.click("#save-png")
    page.wait_for("assay.download === 'ctc-cat-alpha.png'")
    size = page.evaluate("createImageBitmap(assay.blob).then(({ width, height }) => [width, height])")
    assert size == [2 * int(picture.get(name)) for name in ("width", "height")]


def test_a_reader_hears_what_the_network_heard(page):
    page.open(PAGE, "word=cat&T=5&logits=uniform")
    assert page.evaluate("document.getElementById('recording').hidden"), "there is no recording of this"
    page.click("#speech")
    page.settled()
    assert not page.evaluate("document.getElementById('recording').hidden")
    with wave.open(str(pathlib.Path(__file__).parents[2] / "notebooks/data/hello.wav")) as file:
        rate, frames = file.getframerate(), file.getnframes()
    sound = "new Audio('data:audio/wav;base64,' + document.getElementById('recording-data').textContent)"
    seconds = page.evaluate(f"""new Promise((resolve, reject) => {{
        const audio = {sound};
        audio.onloadedmetadata = () => resolve(audio.duration);
        audio.onerror = () => reject(audio.error);
    }})""")
    assert abs(seconds - frames / rate) < 0.01
    assert 12 * 0.03 < seconds <= 13 * 0.03, "the 13 frames are those of the recording"
    loud = page.evaluate("document.querySelector('#waveform path').getAttribute('d').split('M').length")
    assert loud == 1 + 13 * 24


def test_each_step_of_the_walk_leads_back_to_the_site(page, tmp_path):
    site = tmp_path / "index.html"
    site.write_text(PAGE.read_text().replace('<main id="app">', '<main id="app" data-site="..">'))
    links = "[...document.querySelectorAll('#walk-text a')].map((link) => link.getAttribute('href'))"
    for step in range(1, 7):
        page.open(PAGE, f"step={step}")
        assert page.evaluate(links) == [], "a page that stands alone has nowhere to lead"
        page.open(site, f"step={step}")
        derivation, notebook = page.evaluate(links)
        assert derivation.startswith("../docs/derivation-ctc.html#") and notebook.startswith("../notebooks/0")
