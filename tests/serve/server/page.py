# SPDX-License-Identifier: MIT
"""page.py SERVER LIBRARY WEIGHTS FOLDER CHROMIUM: the page, drawn in by mouse, touch and keys, in Chromium without a window."""
import json
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

from browser import Browser
from serving import OUTPUTS, Server, folder, library, lone

NOTHING = "Nothing is drawn yet."
GUESS, BARS = "document.querySelector('#guess').textContent", "[...document.querySelectorAll('#bars output')].map(each => each.textContent)"
DRAWN = "ink.getImageData(0, 0, size, size).data.some((value, i) => i % 4 == 0 && value > 0)"
LINE = [(.5, .2 + .05 * i) for i in range(12)]


def requests(browser):
    return [event["params"]["request"] for event in browser.events if event["method"] == "Network.requestWillBeSent"]


def answered(browser):
    """Waits for the answer to all that was drawn; what the page shows is that of a lone row. Its pixels."""
    browser.until("drawn && !busy && !again")
    [given] = json.loads(requests(browser)[-1]["postData"])["inputs"]
    assert given["datatype"] == "UINT8" and given["shape"] == [1, 1, 3, 4]
    y = struct.unpack(f"<{OUTPUTS}f", lone(given["data"]))
    best = 'ab"de'[y.index(max(y))].replace('"', '"c"')
    assert browser.value(GUESS) == f"This is {best}.", (browser.value(GUESS), y)
    for shown, value in zip(browser.value(BARS), y, strict=True):
        assert abs(float(shown.removesuffix(" %")) - 100 * value) < 0.051, (shown, value)
    widths = browser.value("[...document.querySelectorAll('#bars i')].map(each => each.offsetWidth / each.parentNode.offsetWidth)")
    assert all(abs(width - value) < 0.02 for width, value in zip(widths, y)), (widths, y)
    assert browser.value("document.querySelectorAll('#bars .best').length") == 1
    return given["data"]


def cleared(browser):
    browser.until(f"{GUESS} == {json.dumps(NOTHING)}")
    assert browser.value(BARS) == [""] * OUTPUTS and not browser.value(DRAWN)


def test_mouse(browser):
    assert browser.value(GUESS) == NOTHING
    browser.mouse("#paper", LINE)
    first = answered(browser)
    assert max(first) > 0
    browser.mouse("#paper", [(.2, .8), (.5, .8), (.9, .8)])
    assert answered(browser) != first
    browser.mouse("#clear", [(.5, .5)])
    cleared(browser)
    asked = len(requests(browser))
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", **browser.place("#paper", .3, .3))  # no button is held
    assert not browser.value(DRAWN) and len(requests(browser)) == asked


def test_keys(browser):
    browser.key("Tab")
    assert browser.value("document.activeElement.id") == "paper"
    pen = "getComputedStyle(document.querySelector('#pen'))"
    assert browser.value(pen + ".visibility") == "visible"
    at = browser.value(pen + ".top")
    for _ in range(5):
        browser.key("ArrowUp")
    assert browser.value(pen + ".top") != at and not browser.value(DRAWN)
    for key in ["ArrowDown"] * 60 + ["ArrowLeft"] * 5:  # further than the paper
        browser.key(key, shift=True)
    answered(browser)
    browser.key("Delete")
    cleared(browser)
    browser.key("ArrowLeft", shift=True)
    answered(browser)
    browser.key("Tab")
    browser.key("Enter")  # the button
    cleared(browser)


def test_narrow(browser):
    for width in (320, 360, 768):
        browser.window(width, 500, touch=True)
        assert browser.value("document.documentElement.scrollWidth") <= width
        assert browser.value("document.querySelector('#paper').getBoundingClientRect().right") <= width
    browser.window(360, 500, touch=True)
    browser.touch("#paper", LINE)
    answered(browser)
    assert browser.value("scrollY") == 0, "it scrolls instead of drawing"


def test_dark(browser):
    light = browser.value("getComputedStyle(document.body).color")
    browser.window(900, 700, dark=True)
    assert browser.value("getComputedStyle(document.body).color") != light
    browser.window(900, 700)
    assert browser.value("getComputedStyle(document.body).color") == light


def test_problems(browser, server):
    """What the server says is shown, and goes when there is an answer."""
    problem = "document.querySelector('#problem').textContent"
    server.ask("POST", "/v2/repository/models/served/unload")
    browser.mouse("#paper", LINE)
    assert browser.until(problem) == 'model "served" is not running: unloaded'
    browser.open(f"http://127.0.0.1:{server.port}/?again")
    assert browser.until(problem) == "No model is running."
    server.ask("POST", "/v2/repository/models/served/load")
    browser.open(f"http://127.0.0.1:{server.port}/")
    browser.until("model")
    browser.mouse("#paper", LINE)
    answered(browser)
    assert browser.value(problem) == ""


def test_models(browser):
    """Two models are chosen between."""
    path = folder / "one.safetensors"
    with Server("--page", models=[f"served={library},{path}", f"other={library},{path}"]) as server:
        browser.open(f"http://127.0.0.1:{server.port}/")
        browser.until("model")
        assert browser.value("[...document.querySelectorAll('option')].map(each => each.text)") == ["served", "other"]
        browser.mouse("#paper", LINE)
        answered(browser)
        browser.value("document.querySelector('select').value = 'other', document.querySelector('select').dispatchEvent(new Event('change'))")
        browser.until("model.name == 'other'")
        answered(browser)
        assert requests(browser)[-1]["url"].endswith("/v2/models/other/infer")


def test_rebound_name():
    """A page of a site whose name leads to this machine can do nothing, until the server is given that name."""
    wrapper = folder / "browser.sh"
    wrapper.write_text(f'#!/bin/sh\nexec {sys.argv[5]} --host-resolver-rules="MAP evil.test 127.0.0.1" "$@"\n')
    wrapper.chmod(0o755)
    ask = "fetch('/v2/repository/models/served/unload', {method: 'POST'}).then(answer => answer.status)"
    for options, expected in (([], 403), (["--host", "evil.test"], 200)):
        with Server("--page", *options) as server, Browser(wrapper, folder / f"rebound{expected}") as browser:
            browser.open(f"http://evil.test:{server.port}/")
            assert browser.value(ask) == expected
            assert server.get("/v2/health/ready")[0] == (200 if expected == 403 else 503)


with Server("--page") as running, Browser(sys.argv[5], folder) as chromium:
    page = f"http://127.0.0.1:{running.port}/"
    chromium.window(900, 700)
    chromium.open(page)
    chromium.until("model")
    for test in (test_keys, test_mouse, test_narrow, test_dark):
        test(chromium)
        print(test.__name__, flush=True)
    assert all(each["url"].startswith(page) for each in requests(chromium)), "it loads something from elsewhere"
    wrong = [event for event in chromium.events if event["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")]
    assert not wrong, wrong
    for test, more in ((test_problems, [running]), (test_models, [])):
        test(chromium, *more)
        print(test.__name__, flush=True)
test_rebound_name()
print("test_rebound_name", flush=True)
