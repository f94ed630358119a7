"""The page in Firefox: what test_page.py and test_controls.py do in Chromium by mouse and keyboard, as far as it asks
nothing of Chromium's own protocol."""

import program
import pytest
from firefox import Firefox
from test_controls import test_the_address_keeps_what_is_seen, test_the_walk_is_walked  # noqa: F401
from test_page import (  # noqa: F401
    test_a_cell_shows_its_own_sum,
    test_a_reader_hears_what_the_network_heard,
    test_a_step_down_the_gradient_lowers_the_loss,
    test_alignments_are_listed_and_drawn,
    test_an_alignment_collapses_step_by_step,
    test_every_number_is_the_programs,
    test_every_view_is_the_programs,
    test_keys_change_a_logit_and_walk_among_them,
    test_the_lattice_fills_frame_by_frame,
    test_the_lattice_is_saved_as_a_picture,
    test_the_mouse_drags_a_logit,
    test_underflow_is_marked_and_50_digits_have_none,
    test_what_is_not_a_number_says_why,
)

PAGE = program.BUILT / "index.html"


@pytest.fixture(scope="module")
def page():
    with Firefox() as browser:
        yield browser
        assert browser.complaints() == []


def test_complaints_are_heard():
    with Firefox() as browser:
        browser.open(PAGE)
        browser.evaluate("""document.body.append(Object.assign(document.createElement("script"), {
            textContent: "setTimeout(() => { throw new Error('planted'); })" }))""")
        browser.evaluate("new Promise((resolve) => setTimeout(resolve, 100))")
        assert any("planted" in line for line in browser.complaints())
