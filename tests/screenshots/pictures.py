"""Which pictures there are: each one an entry, with the way of a person to what it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.e2e.browser import Console, Scheme
from tests.screenshots.story import Story


@dataclass(frozen=True)
class Picture:
    """A picture by the name of its file; `walk` ends where what it shows can be seen."""

    name: str
    walk: Callable[[Story, Console], None]
    height: int = 800
    scheme: Scheme = "light"


def _home(story: Story, console: Console) -> None:
    console.open()
    console.is_live()
    console.sees("Running operations")
    console.sees("stages stand")


def _create(story: Story, console: Console) -> None:
    console.open("/create")
    console.page.get_by_label("Tag - optional", exact=True).fill("translation")
    console.page.get_by_label("Availability zone").first.fill("us-west-2c")
    console.page.get_by_label("Instance type").first.fill("ml.g6.4xlarge")
    console.sees("Quota for cluster usage:")


def _review(story: Story, console: Console) -> None:
    _create(story, console)
    console.page.get_by_label("Instances", exact=True).press("Enter")
    console.sees("per hour in all")


def _cluster(story: Story, console: Console) -> None:
    console.open("/clusters/vision")
    console.is_live()
    console.sees("aws eks update-kubeconfig")


def _deletion(story: Story, console: Console) -> None:
    console.open("/clusters/vision/delete")
    console.sees("Keep")


def _progress(story: Story, console: Console) -> None:
    console.open(f"/operations/{story.running}")
    console.is_live()
    console.sees("stages stand")


def _failure(story: Story, console: Console) -> None:
    console.open(f"/operations/{story.failed}")
    console.is_live()
    console.sees("What helps:")


def _activity(story: Story, console: Console) -> None:
    console.open("/activity/audit")
    console.page.get_by_role("row").filter(has_text="Agent").first.wait_for()


def _quotas(story: Story, console: Console) -> None:
    console.open("/catalog/quotas?types=ml.g6.4xlarge,ml.p5.48xlarge")
    console.sees("ml.p5.48xlarge for cluster usage")


def _connect(story: Story, console: Console) -> None:
    console.open("/connect")
    console.sees("What it may do")


PICTURES: Final = (
    Picture("home", _home),
    Picture("home-dark", _home, scheme="dark"),
    Picture("create", _create, height=900),
    Picture("review", _review, height=900),
    Picture("cluster", _cluster),
    Picture("delete", _deletion, height=900),
    Picture("progress", _progress, height=900),
    Picture("failure", _failure),
    Picture("activity", _activity),
    Picture("quotas", _quotas),
    Picture("connect", _connect, height=900),
)
