"""The configurations of agents' clients: what they let an agent do unasked, and how they connect."""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath
from typing import Any, Final

import pytest

from functions.entry.domains import DECLARATIONS
from infra import agents
from infra.agents import LOCAL, OpenDoor, SignedDoor
from infra.host.addresses import AGENT_CALLBACK, AGENT_CALLBACK_PORT, mcp_scopes
from infra.shapes import ROOT
from mcp_gateway.skills import SKILLS

DEPLOYED: Final = OpenDoor("https://x.example.com/mcp?toolsets=clusters", "abc123")
SIGNED: Final = SignedDoor("https://abc.execute-api.us-west-2.amazonaws.com/mcp", "us-west-2")
DOORS: Final[dict[str, agents.Door]] = {"local": LOCAL, "deployed": DEPLOYED, "signed": SIGNED}
METHODS: Final = {route.operation_id: route.method for each in DECLARATIONS for route in each.routes}
TOOLS: Final = [tool for each in DECLARATIONS for tool in each.tools]
READING: Final = {tool.name for tool in TOOLS if METHODS[tool.operation_id] == "GET"}
CHANGING: Final = {tool.name for tool in TOOLS} - READING

Files = dict[PurePosixPath, str]


@pytest.fixture(params=[*DOORS.values()], ids=[*DOORS])
def files(request: pytest.FixtureRequest) -> Files:
    return agents.configurations(request.param)


def content(files: Files, name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(files[PurePosixPath(name)])
    return read


def kiro(files: Files) -> dict[str, Any]:
    return content(files, ".kiro/agents/hypd-inst-agent.json")


def test_the_files_in_git_are_fresh() -> None:
    assert agents.main(["--check"]) == 0


def test_a_changed_or_a_further_file_in_git_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "TARGET", tmp_path)
    assert (agents.main(["--check"]), agents.main([]), agents.main(["--check"])) == (1, 0, 0)
    (tmp_path / ".mcp.json").write_text("{}", encoding="utf-8")
    assert agents.main(["--check"]) == 1
    assert (agents.main([]), agents.main(["--check"])) == (0, 0)
    (tmp_path / ".claude/settings.local.json").write_text("{}", encoding="utf-8")
    assert agents.main(["--check"]) == 1


def test_claude_code_lets_exactly_the_reading_tools_pass_and_asks_for_all_others(files: Files) -> None:
    permissions = content(files, ".claude/settings.json")["permissions"]
    assert {name: len(rules) for name, rules in permissions.items()} == {
        "allow": len(READING),
        "ask": len(CHANGING),
        "deny": 0,
    }
    assert set(permissions["allow"]) == {f"mcp__hypd-inst__{name}" for name in READING}
    assert set(permissions["ask"]) == {f"mcp__hypd-inst__{name}" for name in CHANGING}


def test_kiro_lets_exactly_the_reading_tools_pass(files: Files) -> None:
    agent = kiro(files)
    assert set(agent["allowedTools"]) == {f"@hypd-inst/{name}" for name in READING}
    assert agent["tools"] == ["read", "@hypd-inst"]
    assert agent["includeMcpJson"] is False


def test_no_file_lets_a_destructive_tool_pass(files: Files) -> None:
    destructive = {tool.name for tool in TOOLS if tool.destroys}
    passing = [*content(files, ".claude/settings.json")["permissions"]["allow"], *kiro(files)["allowedTools"]]
    assert destructive and not [rule for rule in passing if "*" in rule or rule.endswith(tuple(destructive))]
    assert not [name for name, text in files.items() if "bypassPermissions" in text or "autoApprove" in text]


def test_claude_codes_agent_has_no_shell_and_writes_no_files(files: Files) -> None:
    front = files[PurePosixPath(".claude/agents/hypd-inst-agent.md")].split("---\n")[1]
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    assert fields["permissionMode"] == "default"
    assert {"Bash", "Edit", "Write"} <= {*fields["disallowedTools"].split(", ")}


def test_without_a_sign_in_the_url_is_all() -> None:
    local = agents.configurations(LOCAL)
    entry = {"type": "http", "url": "http://localhost:3099/mcp"}
    assert content(local, ".mcp.json") == {"mcpServers": {"hypd-inst": entry}}
    assert kiro(local)["mcpServers"] == {"hypd-inst": entry}


def test_people_sign_in_as_the_registered_client_at_its_callback() -> None:
    files = agents.configurations(DEPLOYED)
    claude = content(files, ".mcp.json")["mcpServers"]["hypd-inst"]
    assert claude["oauth"] == {"clientId": "abc123", "callbackPort": AGENT_CALLBACK_PORT}
    assert f"http://localhost:{claude['oauth']['callbackPort']}/callback" == AGENT_CALLBACK
    entry = kiro(files)["mcpServers"]["hypd-inst"]
    assert entry["url"] == DEPLOYED.url
    assert entry["oauth"] == {"clientId": "abc123", "redirectUri": f"localhost:{AGENT_CALLBACK_PORT}"}
    assert entry["oauthScopes"] == mcp_scopes("https://x.example.com")


def test_requests_are_signed_by_one_version_of_the_proxy_for_the_service_of_the_gateway() -> None:
    files = agents.configurations(SIGNED)
    entry = content(files, ".mcp.json")["mcpServers"]["hypd-inst"]
    assert entry == kiro(files)["mcpServers"]["hypd-inst"]
    proxy, *rest = entry["args"]
    assert entry["command"] == "uvx" and proxy.startswith("mcp-proxy-for-aws@") and "latest" not in proxy
    assert rest == [SIGNED.url, "--service", "execute-api", "--region", "us-west-2"]


def test_the_inspector_signs_in_as_the_registered_client_and_reads_the_proxy_of_signed_requests_from_the_file() -> None:
    npx = f"npx {agents.INSPECTOR} --cli"
    assert {name: agents.inspection(door) for name, door in DOORS.items()} == {
        "local": f"{npx} 'http://localhost:3099/mcp' --transport http --method tools/list",
        "deployed": f"{npx} '{DEPLOYED.url}' --transport http --client-id abc123 --callback-url {AGENT_CALLBACK}"
        " --method tools/list",
        "signed": f"{npx} --config .mcp.json --server hypd-inst --method tools/list",
    }


def test_programs_that_people_are_told_to_run_are_exactly_those_that_our_rings_run_and_nowhere_another() -> None:
    programs = json.loads((ROOT / "tests" / "infrastructure" / "programs" / "package.json").read_text(encoding="utf-8"))
    lock = (ROOT / "infra" / "locks" / "mcp1.txt").read_text(encoding="utf-8")
    name, _, version = agents.INSPECTOR.rpartition("@")
    assert version == programs["dependencies"][name] and re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert f"{agents.SIGV4_PROXY.replace('@', '==')} " in lock
    for page in (ROOT / "README.md", *SKILLS.rglob("*.md")):
        for told in (agents.INSPECTOR, agents.SIGV4_PROXY):
            run = rf"(?:npx|uvx) {re.escape(told.rpartition('@')[0])}\S*"
            assert {each.split()[1] for each in re.findall(run, page.read_text(encoding="utf-8"))} <= {told}, page


def test_where_one_works_the_skills_come_along(tmp_path: Path) -> None:
    assert agents.main(["--out", str(tmp_path)]) == 0
    skills = {path.relative_to(SKILLS) for path in SKILLS.glob("*/**/*.md") if "agents" not in path.parts}
    for client in (".claude", ".kiro"):
        folder = tmp_path / client / "skills"
        assert {path.relative_to(folder) for path in folder.rglob("*.md")} == skills


def test_what_somebody_else_wrote_is_overwritten_only_when_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".mcp.json").write_text("{}", encoding="utf-8")
    assert agents.main(["--out", str(tmp_path)]) == 1
    assert ".mcp.json" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [".mcp.json"]
    assert agents.main(["--out", str(tmp_path), "--force"]) == 0
    assert agents.main(["--out", str(tmp_path)]) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--mcp-url", "http://x.example.com/mcp"],
        ["--mcp-url", "https://x.example.com/api"],
        ["--sigv4-url", SIGNED.url],
        ["--sigv4-url", SIGNED.url, "--region", "us-east-1"],
        ["--sigv4-url", SIGNED.url, "--region", "us-west-2", "--client-id", "abc123"],
        ["--sigv4-url", SIGNED.url, "--mcp-url", DEPLOYED.url],
    ],
)
def test_a_connection_that_could_not_work_is_refused(tmp_path: Path, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        agents.main(["--out", str(tmp_path), *arguments])
    assert (ended.value.code, [*tmp_path.iterdir()]) == (2, [])


def test_the_files_in_git_are_never_written_for_another_host() -> None:
    with pytest.raises(SystemExit) as ended:
        agents.main(["--mcp-url", DEPLOYED.url])
    assert ended.value.code == 2
