"""What a deployment uploads: the same bytes whoever makes it, no more than is read, and within what Lambda takes."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from infra.assets import HELM_PROGRAM, AssetFault, code, layer, layers
from infra.assets.archive import unpacked_bytes
from infra.assets.place import UNPACKED_LIMIT
from infra.assets.trimming import UNUSED_PACKAGES, services
from infra.shapes import ROOT, Weight
from mcp_gateway.skills import resources

LOCKS: Final = ROOT / "infra" / "locks"
# CPython's Include/internal/pycore_magic_number.h, and PEP 552.
MAGIC_OF_3_13: Final = (3571).to_bytes(2, "little") + b"\r\n"
UNCHECKED: Final = (1).to_bytes(4, "little")
DEPLOYED: Final = {weight: "x86_64" if weight is Weight.HELM else "arm64" for weight in Weight}


def names(archive: Path) -> set[str]:
    with zipfile.ZipFile(archive) as opened:
        return {name for name in opened.namelist() if not name.endswith(".pyc")}


def bytecode_of(module: str) -> str:
    folder, _, name = module.rpartition("/")
    return f"{folder}/__pycache__/{name.removesuffix('.py')}.cpython-313.pyc"


def pinned(lock: str) -> set[tuple[str, str]]:
    return set(re.findall(r"^([\w.-]+)==([\w.]+)", (LOCKS / lock).read_text(encoding="utf-8"), re.MULTILINE))


def put(root: Path, *files: str) -> None:
    for file in files:
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file, encoding="utf-8")


def test_the_code_is_the_same_bytes_from_another_checkout(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    for folder in ("functions", "mcp_gateway", "skills"):
        shutil.copytree(ROOT / folder, checkout / folder, copy_function=shutil.copy)
    put(checkout, "functions/core/__pycache__/tags.cpython-313.pyc", "functions/.DS_Store")
    (checkout / "functions/core/tags.py").chmod(0o755)
    assert code(checkout, tmp_path / "other").read_bytes() == code().read_bytes()


def test_the_code_holds_what_runs_on_lambda_and_nothing_else(tmp_path: Path) -> None:
    runs = {
        "functions/a/rules.py",
        "functions/a/data/table.json",
        "functions/training/recipes/x/recipe.py",
        "skills/x/SKILL.md",
        "skills/x/references/y.md",
    }
    left_out = {
        "functions/README.md",
        "functions/a/tests/test_rules.py",
        "functions/training/recipes/x/workspace/launch.py",
        "infra/topology.py",
        "mcp_gateway/README.md",
        "skills/README.md",
        "skills/agents/.kiro/agents/x.json",
    }
    put(tmp_path, *runs, *left_out)
    assert names(code(tmp_path, tmp_path / "assets")) == runs


def test_the_code_holds_every_page_of_every_skill() -> None:
    pages = {f"skills/{resource.name}" for resource in resources()}
    assert {name for name in names(code()) if name.startswith("skills/")} == pages


def test_a_gateway_that_gets_code_is_deployed_with_it_as_another_asset(tmp_path: Path) -> None:
    put(tmp_path, "functions/a.py", "mcp_gateway/README.md")
    before = code(tmp_path, tmp_path / "assets")
    put(tmp_path, "mcp_gateway/server.py")
    after = code(tmp_path, tmp_path / "assets")
    assert (names(before), names(after)) == ({"functions/a.py"}, {"functions/a.py", "mcp_gateway/server.py"})


def test_a_layer_is_the_same_bytes_when_it_is_made_again(tmp_path: Path) -> None:
    made, again = layer(Weight.LEAN, "arm64"), layer(Weight.LEAN, "arm64", tmp_path)
    assert made != again
    assert made.read_bytes() == again.read_bytes()


@pytest.mark.parametrize("asset", [code, lambda: layer(Weight.LEAN, "arm64")], ids=["code", "layer"])
def test_each_module_brings_bytecode_that_the_python_of_lambda_takes_unchecked(asset: Callable[[], Path]) -> None:
    archive = asset()
    with zipfile.ZipFile(archive) as opened:
        headers = {name: opened.read(name)[:8] for name in opened.namelist() if name.endswith(".pyc")}
    assert set(headers.values()) == {MAGIC_OF_3_13 + UNCHECKED}
    assert headers.keys() == {bytecode_of(name) for name in names(archive) if name.endswith(".py")}


@pytest.mark.parametrize("weight", Weight)
def test_lambda_takes_every_layer_together_with_the_code(weight: Weight) -> None:
    assert unpacked_bytes(layer(weight, DEPLOYED[weight])) + unpacked_bytes(code()) < UNPACKED_LIMIT


def test_a_layer_that_lambda_would_refuse_is_refused_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "UNPACKED_LIMIT", 1_000_000)
    with pytest.raises(AssetFault, match=r"lean\.zip and the code are \d+ bytes unpacked, and Lambda takes 1000000"):
        layer(Weight.LEAN, "arm64")


def test_a_layer_carries_programs_for_its_architecture_and_the_python_of_lambda() -> None:
    compiled = {name for name in names(layer(Weight.KUBERNETES, "arm64")) if name.endswith(".so")}
    assert "python/pydantic_core/_pydantic_core.cpython-313-aarch64-linux-gnu.so" in compiled
    assert not [name for name in compiled if "x86_64" in name]


def test_helm_can_be_run_where_its_function_looks() -> None:
    with zipfile.ZipFile(layer(Weight.HELM, "x86_64")) as opened:
        entry = opened.getinfo(HELM_PROGRAM.removeprefix("/opt/"))
    assert entry.external_attr >> 16 & 0o111 == 0o111


def test_helm_has_no_layer_for_another_architecture() -> None:
    with pytest.raises(AssetFault, match="the helm layer is of x86_64, not arm64"):
        layer(Weight.HELM, "arm64")


def test_an_architecture_that_lambda_does_not_have_is_refused() -> None:
    with pytest.raises(AssetFault, match="'riscv64': Lambda has arm64 and x86_64"):
        layer(Weight.LEAN, "riscv64")


def test_a_layer_has_the_models_of_the_services_that_we_call_and_of_no_other() -> None:
    data = "python/botocore/data/"
    models = [name for name in names(layer(Weight.LEAN, "arm64")) if name.startswith(data)]
    assert {name.split("/")[3] for name in models if name.endswith("service-2.json.gz")} == services()
    assert {name.split("/")[3] for name in models if name.count("/") > 3} == services()


def test_what_layers_go_without_is_something_that_the_lock_names() -> None:
    assert {name for name, _ in pinned("kubernetes.txt")} >= UNUSED_PACKAGES


def test_layers_hold_the_versions_that_are_tested() -> None:
    tested = pinned("test.txt")
    assert pinned("kubernetes.txt") <= tested
    assert pinned("lean.txt") <= pinned("kubernetes.txt")
