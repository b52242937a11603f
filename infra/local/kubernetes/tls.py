"""The certificate of the local Kubernetes endpoint: our own authority, and a server certificate it signed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

VALID_FOR = timedelta(days=825)
RENEW_BEFORE = timedelta(days=30)
_ADDRESSES = ("127.0.0.1", "::1")


@dataclass(frozen=True)
class TlsFiles:
    """The authority's certificate as PEM, and where the server's certificate and key are."""

    ca_pem: str
    certificate: Path
    key: Path


def ensure_certificates(directory: Path, moment: datetime) -> TlsFiles:
    """The certificates in a directory, made when they are missing or about to expire.

    Raises OSError when the directory cannot be written, ValueError when a certificate there cannot be read.
    """
    directory.mkdir(parents=True, exist_ok=True)
    authority = directory / "ca.pem"
    files = directory / "server.pem", directory / "server.key"
    if not _is_current((authority, *files), moment):
        _generate(authority, *files, moment)
    return TlsFiles(authority.read_text(encoding="ascii"), *files)


def _is_current(files: tuple[Path, ...], moment: datetime) -> bool:
    if not all(file.exists() for file in files):
        return False
    certificate = x509.load_pem_x509_certificate(files[1].read_bytes())
    return certificate.not_valid_before_utc <= moment < certificate.not_valid_after_utc - RENEW_BEFORE


def _generate(authority: Path, certificate: Path, key: Path, moment: datetime) -> None:
    ca_key, server_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca_name, server_name = _name("InstantStart local Kubernetes CA"), _name("localhost")
    ca = _builder(ca_name, ca_name, ca_key.public_key(), ca_key.public_key(), moment)
    ca = ca.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    ca = ca.add_extension(_key_usage(authority=True), critical=True)
    server = _builder(server_name, ca_name, server_key.public_key(), ca_key.public_key(), moment)
    server = server.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    server = server.add_extension(_key_usage(authority=False), critical=True)
    server = server.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    server = server.add_extension(_alternative_names(), critical=False)
    authority.write_bytes(_pem(ca.sign(ca_key, hashes.SHA256())))
    certificate.write_bytes(_pem(server.sign(ca_key, hashes.SHA256())))
    _write_private(key, server_key)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, issuer_key: ec.EllipticCurvePublicKey,
    moment: datetime,
) -> x509.CertificateBuilder:  # fmt: skip
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(moment - timedelta(days=1))
        .not_valid_after(moment + VALID_FOR)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key), critical=False)
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _key_usage(authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _alternative_names() -> x509.SubjectAlternativeName:
    addresses = [x509.IPAddress(ip_address(address)) for address in _ADDRESSES]
    return x509.SubjectAlternativeName([x509.DNSName("localhost"), *addresses])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _write_private(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(pem)
