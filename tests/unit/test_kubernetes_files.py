"""The files a host writes for its Kubernetes endpoint: certificates and the kubeconfig."""

from __future__ import annotations

import base64
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from cryptography import x509

from infra.local.kubernetes.documents import mapping, objects, text
from infra.local.kubernetes.kubeconfig import KubeconfigFile
from infra.local.kubernetes.tls import VALID_FOR, ensure_certificates

MOMENT = datetime(2030, 1, 1, tzinfo=UTC)


def test_certificates_are_made_once_and_renewed_before_they_expire(tmp_path: Path) -> None:
    first = ensure_certificates(tmp_path / "tls", MOMENT)
    assert ensure_certificates(tmp_path / "tls", MOMENT + timedelta(days=300)) == first
    renewed = ensure_certificates(tmp_path / "tls", MOMENT + VALID_FOR)
    assert renewed.ca_pem != first.ca_pem


def test_the_server_certificate_covers_this_host_and_loads_with_its_key(tmp_path: Path) -> None:
    files = ensure_certificates(tmp_path, MOMENT)
    certificate = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost"]
    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1"]
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(files.certificate, files.key)
    certificate.verify_directly_issued_by(x509.load_pem_x509_certificate(files.ca_pem.encode()))
    assert files.key.stat().st_mode & 0o077 == 0


@pytest.fixture
def file(tmp_path: Path) -> KubeconfigFile:
    file = KubeconfigFile(tmp_path / "local" / "kubeconfig")
    file.add("one", "https://127.0.0.1:1/clusters/one", "CA", "token-1")
    file.add("two", "https://127.0.0.1:1/clusters/two", "CA", "token-2")
    return file


def _config(file: KubeconfigFile) -> dict[str, object]:
    return mapping(yaml.safe_load(file.path.read_text(encoding="utf-8")))


def test_each_tag_has_a_cluster_a_user_and_a_context_and_the_newest_is_current(file: KubeconfigFile) -> None:
    config = _config(file)
    for section in ("clusters", "users", "contexts"):
        assert [text(entry, "name") for entry in objects(config, section)] == ["one", "two"]
    newest = objects(config, "clusters")[1]
    assert text(newest, "cluster", "server") == "https://127.0.0.1:1/clusters/two"
    assert base64.b64decode(text(newest, "cluster", "certificate-authority-data")) == b"CA"
    assert config["current-context"] == "two"
    assert file.path.stat().st_mode & 0o077 == 0


def test_removing_the_current_cluster_falls_back_to_the_newest_of_the_others(file: KubeconfigFile) -> None:
    file.remove("two")
    assert _config(file)["current-context"] == "one"
    file.remove("one")
    assert (objects(_config(file), "clusters"), _config(file)["current-context"]) == ([], "")


def test_adding_a_tag_again_replaces_its_entries(file: KubeconfigFile) -> None:
    file.add("one", "https://127.0.0.1:2/clusters/one", "CA", "token-3")
    config = _config(file)
    assert [text(entry, "user", "token") for entry in objects(config, "users")] == ["token-2", "token-3"]
    assert config["current-context"] == "one"
    assert [path.name for path in file.path.parent.iterdir()] == ["kubeconfig"]
