"""A browser, and JupyterLabs in front of gateways."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, sync_playwright

from browser.lab import Lab
from support.gateway import ROOT

CHROMIUM = "/usr/bin/chromium"
# No sandbox: tests run as root in CI. The rest is what a browser would do on its own behalf.
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync"]
REPORTS = ROOT / "build" / "reports"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield made
        made.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(60_000)
    made = context.new_page()
    yield made
    context.close()


@pytest.fixture
def start_lab(request: pytest.FixtureRequest) -> Iterator[Callable[..., Lab]]:
    started: list[Lab] = []
    request.node.labs = started

    def start(url: str, key: str) -> Lab:
        started.append(Lab(url, key))
        return started[-1]

    yield start
    for lab in started:
        lab.remove()


@pytest.hookimpl(tryfirst=True, hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failed test's report ends with what its Labs logged, and its page is kept as a picture."""
    outcome = yield
    report = outcome.get_result()
    if call.when != "call" or not report.failed:
        return
    for lab in getattr(item, "labs", []):
        report.sections.append(("JupyterLab log", lab.log[-10_000:]))
    if page := item.funcargs.get("page"):
        report.sections.append(("page", keep_picture(page, item.name)))


def keep_picture(page: Page, name: str) -> str:
    picture = REPORTS / f"{name}.png"
    REPORTS.mkdir(parents=True, exist_ok=True)
    try:
        page.screenshot(path=picture, timeout=10_000)
    except Error as failed:  # the browser itself is what failed
        return f"no picture: {failed}"
    return str(picture)


@pytest.fixture
def images() -> Path:
    """Where screenshots go: those in docs/images are renewed by KEEP_IMAGES=1 ./dev test browser."""
    directory = ROOT / "docs" / "images" if os.environ.get("KEEP_IMAGES") else REPORTS
    directory.mkdir(parents=True, exist_ok=True)
    return directory
