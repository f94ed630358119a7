"""A browser that the tests of a file share."""

import pytest
from browser import Browser


@pytest.fixture(scope="module")
def shared():
    with Browser() as browser:
        yield browser
        assert browser.complaints() == []


@pytest.fixture
def page(shared):
    """The browser, with nothing left of what was used before."""
    shared.events.clear()
    shared.call("Emulation.clearDeviceMetricsOverride")
    shared.call("Emulation.setEmulatedMedia", features=[])
    return shared
