"""A cluster is deleted: not without a digest, not by another cluster's, and then as the person has seen it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.local.demo.telling import tell_changes
from infra.local.demo_agent.agent import Otherwise

if TYPE_CHECKING:
    from infra.local.demo_agent.agent import Agent

_OTHER: Final = "hypd-0304c"


async def delete(agent: Agent, tag: str) -> None:
    """Delete a cluster with the person's yes; raise Otherwise when anything else comes of it."""
    agent.transcript.person(f"I am done with {tag}; away with it.")
    unconfirmed = await agent.refused("confirmation_required", "cluster_delete", tag=tag)
    await _by_another_digest(agent, tag)
    agent.say("Only the digest of a preview of this very deletion counts. The refusal names the call that gives it.")
    previewed = await agent.following(unconfirmed)
    tell_changes(previewed["preview"])
    agent.say("That is what would go and what would stay. Do you want it?")
    agent.transcript.person("Yes.")
    operation = await agent.waited_out(await agent.following(previewed))
    agent.say(f"It is gone. Kept, as the preview said: {', '.join(operation['result'].get('kept', ['nothing']))}.")
    left = (await agent.call("cluster_list_all"))["clusters"]
    if left:
        raise Otherwise(f"{', '.join(cluster['tag'] for cluster in left)} should be gone.")


async def _by_another_digest(agent: Agent, tag: str) -> None:
    agent.say("A digest is needed. Does that of another cluster's preview do?")
    other = await agent.call("cluster_create", tag=_OTHER, dry_run=True)
    await agent.refused("preview_outdated", "cluster_delete", tag=tag, confirm=other["preview"]["digest"])
