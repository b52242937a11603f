"""The kubeconfig file of the local clusters: one cluster, user and context per tag."""

from __future__ import annotations

import base64
import os
import threading
from pathlib import Path

import yaml

from infra.local.kubernetes.documents import JsonObject, mapping, objects, text


class KubeconfigFile:
    """A kubeconfig that is rewritten as clusters come and go; the newest is the current context."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def add(self, tag: str, server: str, ca_pem: str, token: str) -> None:
        """Write the entries of a cluster, replacing earlier ones of its tag, and make it current.

        Raises OSError when the file cannot be written.
        """
        authority = base64.b64encode(ca_pem.encode()).decode()
        entries: dict[str, JsonObject] = {
            "clusters": {"cluster": {"server": server, "certificate-authority-data": authority}},
            "users": {"user": {"token": token}},
            "contexts": {"context": {"cluster": tag, "user": tag}},
        }
        with self._lock:
            config = self._without(tag)
            for section, entry in entries.items():
                config[section] = [*objects(config, section), {"name": tag, **entry}]
            self._write({**config, "current-context": tag})

    def remove(self, tag: str) -> None:
        """Drop the entries of a cluster; the newest of the others becomes current.

        Raises OSError when the file cannot be written.
        """
        with self._lock:
            config = self._without(tag)
            names = [text(context, "name") for context in objects(config, "contexts")]
            current = text(config, "current-context")
            newest = names[-1] if names else ""
            self._write({**config, "current-context": current if current in names else newest})

    def _without(self, tag: str) -> JsonObject:
        config = self._read()
        kept = {
            section: [entry for entry in objects(config, section) if entry.get("name") != tag]
            for section in ("clusters", "users", "contexts")
        }
        return {"apiVersion": "v1", "kind": "Config", **config, **kept}

    def _read(self) -> JsonObject:
        if not self.path.exists():
            return {}
        return mapping(yaml.safe_load(self.path.read_text(encoding="utf-8")))

    def _write(self, config: JsonObject) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_name(f"{self.path.name}.new")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            yaml.safe_dump(config, file, sort_keys=False)
        draft.replace(self.path)
