"""Signs what callers carry from one request to the next, with the deployment's keys; two are good while one rotates.

The keys are secrets, and the function's settings hold their ARNs alone. A value never changes, since the next key is
another secret: what was read is kept for as long as the execution environment lives.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from functions.core import runtime, settings
from functions.core.errors import DeploymentFault, FieldError
from functions.core.failures import THROTTLING, cause_of, code_of, status_of

if TYPE_CHECKING:
    from functions.core.errors import Cause

# The ARNs of the keys' secrets, parted by commas, the newest first.
SECRETS: Final = "SIGNING_KEY_ARNS"
_REMEDY: Final = (
    "Deploy the control plane with the next signing_key_generation, which makes another secret, or restore the secret "
    "and the right of the function's role to read it."
)


@dataclass
class _Keys:
    """The keys that were read, by their secrets' ARNs; a read that failed leaves no trace."""

    by_secret: dict[str, str] = field(default_factory=dict, repr=False)

    def of(self, secret: str) -> str:
        """Give the key in a secret; raises what reading it raises."""
        if secret not in self.by_secret:
            self.by_secret[secret] = _read(secret)
        return self.by_secret[secret]


def sign(content: str) -> str:
    """Sign a text with the newest key; raise DeploymentFault without a key.

    Raises botocore's ClientError or BotoCoreError when Secrets Manager does not answer for the moment.
    """
    return _signature(content, _secrets()[0])


def is_signed(content: str, signature: str) -> bool:
    """Say whether a signature is ours; raises as `sign` does."""
    # What the newest has signed needs no other key, which need not even be read. Time may tell which one fits.
    return any(same(_signature(content, secret), signature) for secret in _secrets())


def same(one: str, other: str) -> bool:
    """Compare two texts in a time that does not tell where they differ."""
    return hmac.compare_digest(_bytes(one), _bytes(other))


def encoded(content: bytes) -> str:
    """Write bytes as text that fits into a URL."""
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _secrets() -> list[str]:
    named = [name.strip() for name in settings.required(SECRETS).split(",") if name.strip()]
    if not named:
        raise _broken("names no secret")
    return named


def _read(secret: str) -> str:
    try:
        key = runtime.client("secretsmanager").get_secret_value(SecretId=secret).get("SecretString")
    except ClientError as error:
        if code_of(error) in THROTTLING or status_of(error) >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise
        raise _broken(f"names {secret}, which cannot be read: {code_of(error)}", cause_of(error, secret)) from error
    if not key:
        raise _broken(f"names {secret}, which holds no text")
    return key


def _broken(why: str, cause: Cause | None = None) -> DeploymentFault:
    error = FieldError(field=SECRETS, message=why)
    return DeploymentFault(f"The function's setting {SECRETS} {why}.", errors=[error], cause=cause, remedy=_REMEDY)


def _signature(content: str, secret: str) -> str:
    key = runtime.kept(_Keys).of(secret)
    return encoded(hmac.new(key.encode(), _bytes(content), hashlib.sha256).digest())


def _bytes(text: str) -> bytes:
    # What is signed is whatever a caller sent, half a surrogate pair included.
    return text.encode("utf-8", "surrogatepass")
