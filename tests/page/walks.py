"""Walks through a page: each clicks and presses as a reader does, and notes what is seen then."""

from __future__ import annotations

PICTURE = """(() => {
  const section = document.querySelector(%r);
  const text = (e) => e.textContent;
  const seen = (e) => getComputedStyle(e).display !== 'none' && e.getBoundingClientRect().height > 0;
  const boxes = [...section.querySelectorAll('.stage > .box')].map((box) => ({
    name: text(box.querySelector('.node')),
    joined: !box.classList.contains('absent'),
    cells: [...box.querySelectorAll('.cells')].map((row) => [...row.children].map((c) => c.textContent)),
    bars: [...box.querySelectorAll('progress')].map((bar) => [bar.value, bar.max]),
    held: [...box.querySelectorAll('p.small')].map(text),
    pods: [...box.querySelectorAll('.pods li')].map(text),
  }));
  return {
    step: text(section.querySelector('.count b')),
    current: [...section.querySelectorAll('.steps li')].findIndex((li) => li.getAttribute('aria-current') === 'step'),
    actor: text(section.querySelector('.now .actor')),
    what: text(section.querySelector('.now span:last-child')),
    live: text(section.querySelector('.live')),
    slider: [section.querySelector('input').value, section.querySelector('input').getAttribute('aria-valuetext')],
    ends: ['.previous', '.next'].map((b) => section.querySelector(b).getAttribute('aria-disabled')),
    boxes,
    waiting: [...section.querySelectorAll('.tray .pods li')].map(text),
    visible: seen(section.querySelector('.walk')),
  };
})()"""


def state(browser, player="#p1"):
    return browser.eval(PICTURE % player)


def problems(browser):
    return {"problems": list(browser.problems), "requests": [url.partition(":")[0] for url in browser.requests]}


def all_steps(browser, page):
    """From the first step to the last with the button, and back."""
    browser.open(page)
    seen = [state(browser)]
    for _ in range(browser.eval("document.querySelectorAll('#p1 .steps li').length")):
        browser.click("#p1 .next")
        seen.append(state(browser))
    back = []
    for _ in range(2):
        browser.click("#p1 .previous")
        back.append(state(browser))
    return {"forward": seen, "back": back, **problems(browser)}


def keys(browser, page):
    """The same with keys: on the page, in the player, on the slider; a click on a step of the list."""
    browser.open(page)
    order, outlines = [], set()
    for _ in range(9):
        browser.press("Tab")
        focused = "(() => { const e = document.activeElement; return e.id || e.className || e.value || e.tagName; })()"
        order.append(browser.eval(focused))
        outlines.add(browser.eval("getComputedStyle(document.activeElement).outlineStyle"))
    browser.open(page)
    seen = {}
    browser.press("ArrowRight")
    seen["arrow on the page"] = state(browser)["step"]
    browser.press("ArrowLeft")
    seen["arrow back"] = state(browser)["step"]
    browser.eval("document.querySelector('#p1 .next').focus()")
    browser.press("Enter")
    seen["enter on next"] = state(browser)["step"]
    browser.press(" ")
    seen["space on next"] = state(browser)["step"]
    browser.press("Home")
    seen["home in the player"] = state(browser)["step"]
    browser.press("End")
    seen["end in the player"] = state(browser)["step"]
    browser.eval("document.querySelector('#p1 input').focus()")
    browser.press("ArrowLeft")
    seen["arrow on the slider"] = state(browser)["slider"]
    browser.press("Home")
    seen["home on the slider"] = state(browser)["slider"]
    browser.click("#p1 .steps li:nth-child(3)")
    seen["click on the third"] = state(browser)["step"]
    return {"steps": seen, "tab order": order, "outlines": sorted(outlines), **problems(browser)}


def colours(browser, page):
    """The toggle against both settings of the system."""
    look = "[getComputedStyle(document.body).backgroundColor, document.getElementById('theme').textContent]"
    seen = {}
    for dark in (False, True):
        browser.open(page, dark=dark)
        before = browser.eval(look)
        browser.click("#theme")
        seen["dark" if dark else "light"] = [before, browser.eval(look)]
    return {"looks": seen, **problems(browser)}


def filters(browser, page):
    """Severities switched off and on, and a search."""
    browser.open(page)
    look = (
        "[[...document.querySelectorAll('.finding')].filter((f) => f.offsetParent).map((f) => f.dataset.severity),"
        " document.querySelector('.filter [role=status]').textContent]"
    )
    seen = {"all": browser.eval(look)}
    browser.click(".toggle.error input")
    seen["no errors"] = browser.eval(look)
    browser.click(".toggle.error input")
    browser.click(".search input")
    browser.type("unknown-PRIORITY")
    seen["search"] = browser.eval(look)
    return {"shown": seen, **problems(browser)}


def without_script(browser, page):
    """What is left when scripts are off."""
    browser.open(page, script=False)
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    shown = "(e) => e.getBoundingClientRect().height > 0"
    return {
        "steps": browser.eval(
            f"[...document.querySelectorAll('#p1 .steps li .what')].filter({shown}).map((e) => e.textContent)"
        ),
        "held": browser.eval(f"[...document.querySelectorAll('#p1 .held')].filter({shown}).map((e) => e.textContent)"),
        "controls": browser.eval(f"[...document.querySelectorAll('.scripted')].filter({shown}).length"),
        **problems(browser),
    }


def widths(browser, page):
    """Whether anything is wider than the screen, on a phone and on a desk."""
    seen = {}
    for width in (320, 390, 768, 1280, 1920):
        browser.open(page, width=width)
        seen[str(width)] = browser.eval("document.documentElement.scrollWidth <= innerWidth")
    return {"fits": seen, **problems(browser)}


def attack(browser, page):
    """Whether any name of the input has become more than text, also after a walk through its story."""
    browser.open(page)
    browser.eval("window.attacked = false; window.alert = () => { window.attacked = true; }; 0")
    browser.click("#p2 .next")
    injected = """(() => {
      const made = document.createElement('script');
      made.textContent = 'window.attacked = true';
      document.body.append(made);
      const image = document.createElement('img');
      image.src = 'https://evil.example/x.png';
      document.body.append(image);
    })()"""
    seen = {
        "images": browser.eval("document.images.length"),
        "scripts": browser.eval("document.scripts.length"),
        "name": browser.eval("document.querySelector('#p2 .stage .node').textContent"),
        "attacked": browser.eval("window.attacked"),
        **problems(browser),
    }
    browser.eval(injected)
    browser.eval("new Promise((done) => setTimeout(done, 200))")
    blocked = [problem for problem in browser.problems if "Content Security Policy" in problem]
    return {**seen, "script put in later ran": browser.eval("window.attacked"), "blocked": len(blocked) >= 2}
