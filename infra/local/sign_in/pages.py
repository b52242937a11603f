"""The pages that a person sees who signs in on this machine."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from infra.local.messages import HttpResponse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from infra.local.sign_in.requests import AuthorizationRequest
    from infra.local.sign_in.users import User

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
  body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 4rem auto; padding: 0 1rem }}
  button {{ font: inherit; display: block; width: 100%; margin: .5rem 0; padding: .6rem; text-align: left }}
  small {{ color: GrayText }}
</style>
<h1>{title}</h1>
{content}
</html>
"""
_FORM = """<p>{client} asks for <code>{scopes}</code>. Who are you? There are no passwords on this machine.</p>
<form method="post" action="/login">
{fields}
{buttons}
</form>
<p><small>Change the people and their groups in users.json beside the other files of this host.</small></p>"""


def login(asked: AuthorizationRequest, sent: Mapping[str, str], users: Iterable[User]) -> HttpResponse:
    """Ask who signs in; the request goes along in the form and is checked again."""
    fields = "\n".join(_field(name, value) for name, value in sent.items())
    buttons = "\n".join(_button(user) for user in users)
    content = _FORM.format(
        client=escape(asked.client.id), scopes=escape(" ".join(asked.scopes)), fields=fields, buttons=buttons
    )
    return _page(200, "Sign in", content)


def refusal(reason: str) -> HttpResponse:
    """Say why nobody can sign in here."""
    return _page(400, "Nobody can sign in with this address", f"<p>{escape(reason)}</p>")


def _field(name: str, value: str) -> str:
    return f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'


def _button(user: User) -> str:
    groups = f"<small>{escape(', '.join(user.groups) or 'in no group')}</small>"
    return f'<button name="user" value="{escape(user.name)}">{escape(user.name)} {groups}</button>'


def _page(status: int, title: str, content: str) -> HttpResponse:
    headers = {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        "referrer-policy": "no-referrer",
    }
    return HttpResponse(status, headers, _PAGE.format(title=escape(title), content=content).encode())
