"""The HTML report in a real browser: opened from disk, by hand, by keyboard, on paper, in the dark, without scripts.

    python3 -B tests/browser/html_report.py --binary build/dev/ocilint [--shots FOLDER]

Exit status 77: no chromium or no chromedriver (scripts/setup full installs them).
"""

import argparse
import base64
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import images
from webdriver import Browser

PAGE_MOST, PAINT_MOST = 5_000_000, 2.0  # bytes, seconds
PAINT_WAIT = 20.0  # seconds that a paint may take to be told of, which is no part of the measure

failures = []


def check(what, good, seen=""):
    print(("ok    " if good else "FAILED ") + what + (f": {seen}" if seen != "" and not good else ""), flush=True)
    if not good:
        failures.append(what)


def report(binary, work, name, policy=None, verb="check", more=(), reference=None):
    page = os.path.join(work, f"{verb}-{name}.html")
    arguments = [binary, verb, reference or f"oci:{os.path.join(work, name)}", *more, "-o", f"html={page}"]
    if policy:
        file = os.path.join(work, name + ".yaml")
        pathlib.Path(file).write_text(policy)
        arguments += ["-p", file]
    start = time.monotonic()
    done = subprocess.run(arguments, capture_output=True, text=True)
    check(f"{verb} {name}: a report was written", os.path.exists(page), done.stderr)
    print(f"      {verb} {name}: exit status {done.returncode}, {time.monotonic() - start:.1f} s, {os.path.getsize(page):,} bytes")
    return page


def open_page(browser, page):
    browser.open(pathlib.Path(page).as_uri())
    return browser


def paint(browser):
    """Seconds from the navigation to the first contentful paint; None when the browser never told of one.

    The load event does not wait for a frame: on a busy machine the entry comes after it, and a browser without a window
    may put off its first frame until somebody asks for a picture.
    """
    entry = "const p = performance.getEntriesByName('first-contentful-paint')[0]; return p ? p.startTime / 1000 : null"
    stop = time.monotonic() + PAINT_WAIT
    while (seconds := browser.run(entry)) is None and time.monotonic() < stop:
        time.sleep(0.1)
        browser.chromium("Page.captureScreenshot", format="jpeg", quality=1)
    return seconds


def shown(browser, css):
    return browser.run("return Array.from(document.querySelectorAll(arguments[0])).filter(n => n.checkVisibility()).length", css)


def shoot(browser, folder, name, height=1000, width=1280, dark=False):
    if not folder:
        return
    browser.chromium("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
    browser.chromium("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    data = browser.chromium("Page.captureScreenshot", format="png", captureBeyondViewport=False)["data"]
    pathlib.Path(folder, name + ".png").write_bytes(base64.b64decode(data))
    browser.chromium("Emulation.clearDeviceMetricsOverride")


def hostile(page, shots, name="hostile"):
    print(f"      {name}")
    with Browser() as browser:
        # Whatever calls hit() leaves a mark, before the page's own script runs.
        browser.chromium("Page.addScriptToEvaluateOnNewDocument", source="window.hits = 0; window.hit = () => { window.hits += 1; };")
        open_page(browser, page)
        time.sleep(0.5)
        check("nothing of the image ran", browser.run("return window.hits") == 0)
        check("no element of the image's making", browser.run(
            "return document.querySelectorAll('img, iframe, link, object, embed, form, script ~ script, body script:not(:last-of-type)').length") == 0)
        check("no handler, style or address of the image's making", browser.run(
            "return Array.from(document.querySelectorAll('*')).filter(n => n.getAttributeNames().some(a => a.startsWith('on') || a === 'style' || a === 'src')"
            " || (n.getAttribute('href') || '#')[0] !== '#').length") == 0)
        check("the page loaded nothing", browser.run("return performance.getEntriesByType('resource').length") == 0)
        check("the texts are there, as texts", browser.run("return document.body.textContent.includes('<script>hit()<')"))
        check("direction marks are written out", browser.run(
            "return document.body.textContent.includes('\\\\u{202e}') && !/[\\u202a-\\u202e\\u2066-\\u2069\\u001b\\u2028]/.test(document.documentElement.outerHTML)"))
        problems = [line["message"] for line in browser.console()]
        check("no errors in the console", problems == [], problems)
        shoot(browser, shots, name)


def filter_works(browser):
    total = shown(browser, ".item")
    browser.type(".filter input", "start.sh")
    time.sleep(0.2)
    check("the filter leaves what holds the text", shown(browser, ".item") == 1, shown(browser, ".item"))
    check("and says how many that are", browser.run("return document.querySelector('.filter output').textContent").startswith("1 of"))
    browser.type(".filter input", "\ue00c")  # Escape
    check("Escape brings everything back", shown(browser, ".item") == total)
    browser.type(".filter input", "module_4000.js")
    check("of a check, the findings that hold it", shown(browser, ".finding") == 1, shown(browser, ".finding"))
    browser.type(".filter input", "\ue00c")
    browser.click(".filter button.good")
    check("a state can be switched off", shown(browser, ".item.good") == 0 and shown(browser, ".item.bad") > 0)
    browser.click(".filter button.good")
    check("and on", shown(browser, ".item") == total)


def keyboard_works(browser):
    browser.run("document.querySelector('.check.good > summary').focus()")
    browser.keys("\ue007")  # Enter
    check("a check opens by keyboard", browser.run("return document.querySelector('.check.good').open"))
    browser.run("document.querySelector('.by-layer').focus()")
    fill = "return getComputedStyle(document.querySelector('.map .t')).fill"
    before = browser.run(fill)
    browser.keys("\ue014")  # arrow to the right: the next choice that is enabled
    check("the map's colours change by keyboard", browser.run("return document.querySelector('.by-finding').checked") and browser.run(fill) != before)
    browser.run("document.querySelector('.by-layer').click()")
    names = browser.run("return Array.from(document.querySelectorAll('button, input, summary, a, svg[role=img], table, section[aria-labelledby]'))"
                        ".filter(n => !(n.textContent.trim() || n.getAttribute('aria-label') || (n.labels && n.labels.length) )).length")
    check("everything that is pointed at has a name", names == 0, names)
    check("one first heading an image, and no level is left out", browser.run(
        "const l = Array.from(document.querySelectorAll('h1, h2, h3')).map(n => +n.tagName[1]); return l.every((n, i) => i === 0 || n <= l[i - 1] + 1)"))


def large(page, shots):
    size = os.path.getsize(page)
    check(f"many files: the page is below {PAGE_MOST:,} bytes", size < PAGE_MOST, size)
    with Browser() as browser:
        seconds = []
        for _ in range(3):
            open_page(browser, page)
            seconds.append(paint(browser))
        print("      first paint: " + ", ".join("none" if s is None else f"{s:.2f} s" for s in seconds))
        good = [s for s in seconds if s is not None]
        check(f"many files: first paint below {PAINT_MOST} s", good != [] and min(good) < PAINT_MOST,
              f"{seconds}, the page is " + browser.run("return document.visibilityState"))
        filter_works(browser)
        keyboard_works(browser)
        browser.run("document.querySelector('.map .t').dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))")
        check("the map tells what is pointed at", "MiB" in browser.run("return document.querySelector('.readout').textContent"))
        width = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check("nothing is wider than the window", width <= 0, width)
        pdf = base64.b64decode(browser.chromium("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
        check("it prints", pdf.startswith(b"%PDF-") and len(pdf) > 20_000, len(pdf))
        check("what was closed for reading is closed again", not browser.run("return document.querySelector('.aside').open"))
        if shots:
            pathlib.Path(shots, "many.pdf").write_bytes(pdf)
        shoot(browser, shots, "many")
        shoot(browser, shots, "many-dark", dark=True)
        browser.chromium("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        dark = browser.run("return getComputedStyle(document.body).backgroundColor")
        browser.chromium("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
        check("dark is another colour than light", dark != browser.run("return getComputedStyle(document.body).backgroundColor"), dark)
        problems = [line["message"] for line in browser.console()]
        check("no errors in the console", problems == [], problems)


def every_filter_works(browser, name):
    for number in range(shown(browser, ".filter")):
        total = browser.run("""
          const box = Array.from(document.querySelectorAll('.filter'))[arguments[0]];
          for (const old of document.querySelectorAll('[data-tested]')) delete old.dataset.tested;
          box.closest('.part').dataset.tested = '1';
          return Array.from(box.closest('.part').querySelectorAll('.item')).length;""", number)
        browser.type("[data-tested] .filter input", "no such text anywhere")
        time.sleep(0.1)
        check(f"{name}: filter {number + 1} leaves nothing for what nothing holds", shown(browser, "[data-tested] .item") == 0)
        said = browser.run("return document.querySelector('[data-tested] .filter output').textContent")
        check(f"{name}: and says so", said == f"0 of {total} shown", said)
        browser.type("[data-tested] .filter input", "\ue00c")  # Escape
        back = browser.run("return Array.from(document.querySelectorAll('[data-tested] .item')).filter(n => !n.hidden).length")
        check(f"{name}: Escape brings everything back", back == total, back)


def look_page(page, name, shots, words):
    """The page of a verb that looks, with the demands that the page of check has."""
    with Browser() as browser:
        open_page(browser, page)
        for word in words:
            check(f"{name}: tells {word}", word in browser.run("return document.body.innerText"))
        check(f"{name}: the page loaded nothing", browser.run("return performance.getEntriesByType('resource').length") == 0)
        check(f"{name}: every link leads to a place of the page", browser.run(
            "return Array.from(document.querySelectorAll('a')).every(n => document.getElementById(n.getAttribute('href').slice(1)))"))
        every_filter_works(browser, name)
        check(f"{name}: no heading is left out", browser.run(
            "const l = Array.from(document.querySelectorAll('h1, h2, h3')).map(n => +n.tagName[1]); return l.every((n, i) => i === 0 || n <= l[i - 1] + 1)"))
        if shown(browser, ".map .t") > 0:
            browser.run("document.querySelector('.map .t').dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))")
            check(f"{name}: the map tells what is pointed at", "B" in browser.run("return document.querySelector('.readout.told').textContent"))
        width = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(f"{name}: nothing is wider than the window", width <= 0, width)
        pdf = base64.b64decode(browser.chromium("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
        check(f"{name}: it prints", pdf.startswith(b"%PDF-") and len(pdf) > 20_000, len(pdf))
        problems = [line["message"] for line in browser.console()]
        check(f"{name}: no errors in the console", problems == [], problems)
        if shots:
            pathlib.Path(shots, name + ".pdf").write_bytes(pdf)
        browser.run("document.activeElement.blur(); scrollTo(0, 0)")
        shoot(browser, shots, name)
        shoot(browser, shots, name + "-dark", height=2600, dark=True)
    narrow(page, name, shots)
    contrast(page, name)


def without_scripts(page):
    with Browser(script=False) as browser:
        open_page(browser, page)
        check("without scripts: everything is there to read", shown(browser, ".check") > 0 and shown(browser, ".map .t") > 0)
        check("without scripts: no filter is offered", shown(browser, ".filter") == 0 and shown(browser, ".readout") == 0)
        fill = "return getComputedStyle(document.querySelector('.map .t')).fill"
        before = browser.run(fill)
        browser.click(".by-finding + label")
        check("without scripts: the map's colours change", browser.run(fill) != before)
        browser.click(".check.good > summary")
        check("without scripts: a check opens", browser.run("return document.querySelector('.check.good').open"))


def narrow(page, name="hostile", shots=None):
    with Browser(window=(500, 900)) as browser:
        browser.chromium("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)
        open_page(browser, page)
        width = browser.run("return document.documentElement.scrollWidth")
        check(f"{name}: a telephone need not scroll sideways", width <= 390, width)
        if shots:
            data = browser.chromium("Page.captureScreenshot", format="png")["data"]
            pathlib.Path(shots, name + "-narrow.png").write_bytes(base64.b64decode(data))


def contrast(page, name):
    """WCAG 2.1, 1.4.3: 4.5 to 1 for text; of every text that stands on the page's own colour or a badge's."""
    script = """
      const parse = (c) => { const m = c.match(/[\\d.]+/g).map(Number); return m.length > 3 && m[3] === 0 ? null : m.slice(0, 3); };
      const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const bad = new Set();
      for (const n of document.querySelectorAll('main *, footer')) {
        if (n.closest('svg') || !n.checkVisibility() || n.closest('.nil') || n.disabled || n.matches('.pick:disabled + label')) continue;
        if (!Array.from(n.childNodes).some((t) => t.nodeType === 3 && t.textContent.trim())) continue;
        let back = null;
        for (let p = n; p && !back; p = p.parentElement) back = parse(getComputedStyle(p).backgroundColor);
        const a = light(parse(getComputedStyle(n).color)), b = light(back || [255, 255, 255]);
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) bad.add(n.tagName + '.' + n.className + ' ' + ratio.toFixed(2));
      }
      return Array.from(bad);"""
    with Browser() as browser:
        open_page(browser, page)
        for scheme in ("light", "dark"):
            browser.chromium("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            weak = browser.run(script)
            check(f"{name}: texts can be read in the {scheme}", weak == [], weak)


def real_image():
    """A published image, where the fixtures lie beside the repository."""
    file = pathlib.Path(__file__).resolve().parents[3] / "shared/fixtures/trivy__alpine-310.tar.gz"
    return str(file) if file.exists() else None


def looks(binary, work, shots):
    images.packaged(os.path.join(work, "packaged"))
    images.packaged(os.path.join(work, "patched"), changed=True)
    inspected = report(binary, work, "hostile", verb="inspect")
    hostile(inspected, shots, "inspect-hostile")
    look_page(inspected, "inspect hostile", None, [])
    page = report(binary, work, "packaged", verb="inspect")
    look_page(page, "inspect", shots, ["Debian GNU/Linux 12", "Package files that differ", "/usr/lib/part0/file0.txt", "Secrets",
                                       "/srv/app/.env", "APP_HOME=/srv/app", "Where the bytes are"])
    other = f"oci:{os.path.join(work, 'patched')}"
    page = report(binary, work, "packaged", verb="diff", more=[other])
    look_page(page, "diff", shots, ["/srv/app/new.bin", "Layers before", "Layers after", "the same in both", "part0"])
    differing = report(binary, work, "hostile", verb="diff", more=[other])
    hostile(differing, shots, "diff-hostile")
    look_page(differing, "diff hostile", None, [])
    if reference := real_image():
        page = report(binary, work, "alpine", verb="inspect", reference=reference)
        look_page(page, "inspect real", shots, ["Alpine Linux v3.10", "apk: 14 packages"])
    else:
        print("      skipped: no published image beside the repository")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--shots")
    parser.add_argument("--files", type=int, default=300_000)
    arguments = parser.parse_args()
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            print(f"skipped: no {program}; scripts/setup full installs it")
            return 77
    if arguments.shots:
        os.makedirs(arguments.shots, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        images.hostile(os.path.join(work, "hostile"))
        images.many(os.path.join(work, "many"), arguments.files)
        bad = report(arguments.binary, work, "hostile", images.HOSTILE_POLICY)
        many = report(arguments.binary, work, "many", images.MANY_POLICY)
        hostile(bad, arguments.shots)
        large(many, arguments.shots)
        without_scripts(many)
        narrow(bad)
        contrast(bad, "hostile")
        contrast(many, "many")
        looks(arguments.binary, work, arguments.shots)
    print(f"{len(failures)} failed" if failures else "all good")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
