"""JSON Web Tokens (RFC 7519), signed with RS256 by a key that is made when it is first needed and never kept."""

from __future__ import annotations

import base64
import binascii
import json
import secrets
from typing import TYPE_CHECKING, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    Claims = dict[str, JsonValue]
    PublicKeys = Mapping[str, rsa.RSAPublicKey]

ALGORITHM: Final = "RS256"
_BITS: Final = 2048
_EXPONENT: Final = 65537


class BadToken(Exception):
    """The text is no token that one of the keys signed."""


class SigningKey:
    """One key pair; `id` tells tokens and their readers which."""

    def __init__(self) -> None:
        self.id = secrets.token_urlsafe(16)
        self._private = rsa.generate_private_key(_EXPONENT, _BITS)

    @property
    def public(self) -> rsa.RSAPublicKey:
        """Give the half that tokens are verified with."""
        return self._private.public_key()

    def sign(self, claims: Mapping[str, JsonValue]) -> str:
        """Make a token of claims."""
        header = {"kid": self.id, "alg": ALGORITHM}
        signed = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
        return f"{signed}.{encoded(self._private.sign(signed.encode(), padding.PKCS1v15(), SHA256()))}"

    def document(self) -> Claims:
        """Describe the public half as a JSON Web Key (RFC 7517)."""
        numbers = self.public.public_numbers()
        return {
            "kty": "RSA",
            "use": "sig",
            "alg": ALGORITHM,
            "kid": self.id,
            "n": encoded(_bytes(numbers.n)),
            "e": encoded(_bytes(numbers.e)),
        }


def verified(token: str, keys: PublicKeys) -> Claims:
    """Give the claims of a token; raise BadToken unless one of the keys signed it, with RS256 and nothing else."""
    try:
        signed, _, signature = token.rpartition(".")
        header, claims = (json.loads(decoded(part)) for part in signed.split("."))
        if header["alg"] != ALGORITHM:
            raise BadToken("signing method is invalid")
        keys[header["kid"]].verify(decoded(signature), signed.encode(), padding.PKCS1v15(), SHA256())
    except InvalidSignature as error:
        raise BadToken("the token has an invalid signature") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadToken("the token is not one that a key of the issuer signed") from error
    if not isinstance(claims, dict):
        raise BadToken("the token has no claims")
    return claims


def encoded(content: bytes) -> str:
    """Write bytes in base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """Read base64url without padding; raise ValueError for anything else."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(f"no base64url: {error}") from error


def _bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")
