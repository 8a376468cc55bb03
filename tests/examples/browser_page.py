# SPDX-License-Identifier: MIT
"""browser_page.py FOLDER CHROMIUM: the page of examples/browser trains a network in Chromium without a window, from one file."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))

from browser import Browser

MAKE = ROOT / "examples/browser/make.py"
folder, program = pathlib.Path(sys.argv[1]), sys.argv[2]
page = folder / "digits.html"
RIGHT = "document.querySelectorAll('#held .right').length"
# The mean height of the line in the first or last tenth of the chart, from the top, or null where there is none.
HEIGHT = """((from) => {
  const canvas = document.querySelector('#chart'), width = Math.floor(canvas.width / 10), left = Math.floor(canvas.width * from);
  const rgba = canvas.getContext('2d').getImageData(left, 0, width, canvas.height).data, heights = [];
  for (let i = 0; i < rgba.length; i += 4)
    if (rgba[i + 3] > 200 && rgba[i + 2] > rgba[i] + 100) heights.push(Math.floor(i / 4 / width) / canvas.height);
  return heights.length ? heights.reduce((a, b) => a + b) / heights.length : null;
})"""


def text(browser, selector):
    return browser.value(f"document.querySelector('{selector}').textContent")


def click(browser, selector):
    browser.mouse(selector, [(.5, .5)])


def test_bad_data():
    answer = subprocess.run([MAKE, page, folder], stderr=subprocess.PIPE, text=True, check=False)
    assert answer.returncode == 1 and "train-images-idx3-ubyte; expected the four IDX files of MNIST" in answer.stderr, answer
    for name in ("train-images-idx3", "t10k-images-idx3", "train-labels-idx1", "t10k-labels-idx1"):
        (folder / f"{name}-ubyte").write_bytes(b"no IDX file")
    answer = subprocess.run([MAKE, page, folder], stderr=subprocess.PIPE, text=True, check=False)
    assert answer.returncode == 1 and "is not an IDX file of pictures of 28 x 28 bytes" in answer.stderr, answer


def test_before(browser):
    assert text(browser, "#status") == "5,000 digits to learn from, 1,000 held out"
    assert browser.value(HEIGHT + "(.06)") is None and browser.value(RIGHT) < 20


def test_training(browser):
    """It can be stopped within an epoch, and goes on from there."""
    click(browser, "#train")
    browser.until("losses.length > 30 && (document.querySelector('#train').click(), true)")
    assert not browser.value("running")
    there = browser.value("losses.length")
    assert browser.value("new Promise(done => setTimeout(() => done(losses.length), 200))") == there
    assert text(browser, "#train") == "Train" and there < 1000
    click(browser, "#train")
    for epoch in range(1, 4):
        browser.until(f"epochs >= {epoch}")
    losses = browser.value("losses.slice(0, 300)")
    first, last = sum(losses[:10]) / 10, sum(losses[-50:]) / 50
    accuracies = browser.value("[...document.querySelectorAll('#epochs b')].map(each => parseFloat(each.textContent))")
    print(f"loss {first:.3f} .. {last:.3f}, accuracy {accuracies[:3]}, {text(browser, '#status')}")
    assert 2 < first < 2.5 and last < 0.4 and 85 < accuracies[0] < accuracies[2] and accuracies[2] > 93
    assert browser.value(RIGHT) > 30


def test_chart(browser):
    """The line begins high and ends low."""
    first, last = browser.value(HEIGHT + "(.06)"), browser.value(HEIGHT + "(.88)")
    assert first < 0.4 and last > first + 0.2, (first, last)


def test_drawing(browser):
    """While it trains."""
    browser.value("running || train()")
    assert text(browser, "#guess") == ""
    browser.mouse("#paper", [(.5, .2 + .05 * i) for i in range(12)])
    browser.until("document.querySelector('#guess').textContent == '1'")
    browser.until("document.querySelector('#bars .best') == document.querySelectorAll('#bars div')[1]")
    click(browser, "#clear")
    assert text(browser, "#guess") == "" and browser.value("document.querySelectorAll('#bars .best').length") == 0


def test_again(browser):
    """Other weights, which know nothing."""
    first = browser.value("losses[0]")
    click(browser, "#again")
    assert browser.value("[losses.length, epochs, document.querySelectorAll('#epochs li').length]") == [0, 0, 0]
    assert browser.value(RIGHT) < 20 and text(browser, "#train") == "Train"
    click(browser, "#train")
    browser.until("losses.length")
    assert browser.value("losses[0]") != first


def test_narrow(browser):
    browser.window(360, 800, dark=True)
    assert browser.value("document.documentElement.scrollWidth") <= 360


def test_problem(browser):
    """Why the program ends is shown."""
    browser.value("stop(), (() => { try { net.recognised(0, 0); } catch (error) { report(error); } })()")
    assert "evaluate was given a dataset of 0 rows" in text(browser, "#problem"), text(browser, "#problem")
    assert browser.value("document.querySelector('#train').disabled")


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
test_bad_data()
# As tests/bitwise/webassembly.cpp looks for them.
wasi = "echo '#include <vector>' | clang++-19 --target=wasm32-wasi -stdlib=libc++ -fno-exceptions -x c++ - -fsyntax-only"
if not shutil.which("wasm-ld-19") or subprocess.run(wasi, shell=True, stderr=subprocess.DEVNULL, check=False).returncode:
    print("skipped: no clang 19 with WASI's libraries found; ./setup --platforms installs them")
    sys.exit(77)
subprocess.run([MAKE, page], check=True)
with Browser(program, folder) as chromium:
    chromium.window(1000, 900)
    chromium.open(page.as_uri())
    chromium.until("!document.querySelector('#train').disabled")
    for test in (test_before, test_training, test_chart, test_drawing):
        test(chromium)
        print(test.__name__, flush=True)
    chromium.picture(folder / "page.png")
    for test in (test_again, test_narrow):
        test(chromium)
        print(test.__name__, flush=True)
    asked = [event["params"]["request"]["url"] for event in chromium.events if event["method"] == "Network.requestWillBeSent"]
    assert asked == [page.as_uri()], asked
    wrong = [event for event in chromium.events if event["method"] == "Runtime.exceptionThrown" or
             (event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error")]
    assert not wrong, wrong
    test_problem(chromium)
    print(test_problem.__name__)
