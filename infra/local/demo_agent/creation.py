"""A cluster is created stage by stage, by the names that AWS's HyperPod InstantStart gives its tools."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from infra.local.demo.telling import Json, say, span, summary
from infra.local.demo_agent.agent import Otherwise, need

if TYPE_CHECKING:
    from infra.local.demo_agent.agent import Agent


@dataclass(frozen=True)
class Wishes:
    """What only the person decides, in the person's words."""

    tag: str
    availability_zone: str
    instance_type: str
    count: int


async def create(agent: Agent, wishes: Wishes) -> None:
    """Create a cluster to the wishes and show what stands; raise Otherwise when anything else comes of it."""
    await _look(agent, wishes)
    foundation = await _foundation(agent, wishes)
    await _activate(agent, foundation["cluster_tag"])
    agent.say("Next come the dependencies.")
    await agent.ended(await agent.call("cluster_configure_dependencies"), "cluster_get_dependency_status")
    hyperpod = await _hyperpod(agent, wishes)
    agent.say("The nodes are there; the bucket is to be mounted on them.")
    storage = await agent.waited_out(await agent.call("s3_storage_create"))
    await _hand_over(agent, {**foundation["result"], **hyperpod["result"], "storage": storage["result"]["storage"]})


async def _look(agent: Agent, wishes: Wishes) -> None:
    agent.transcript.person("I need another HyperPod cluster.")
    agent.say("Before anything is made I look at what there is.")
    found = await agent.call("cluster_list_all")
    taken = [cluster["tag"] for cluster in found["clusters"]]
    agent.say(f"{len(taken) or 'No'} clusters so far. Which tag should the new one have?")
    agent.transcript.person(f"{wishes.tag}.")
    if wishes.tag in taken:
        raise Otherwise(f"the tag {wishes.tag} is taken.")


async def _foundation(agent: Agent, wishes: Wishes) -> Json:
    """Begin the foundation, twice by the same call, and wait for it."""
    agent.say("First the network and the EKS cluster.")
    begun = await agent.call("cluster_create_eks", clusterTag=wishes.tag)
    expected = span(timedelta(seconds=begun["expected_seconds"]))
    agent.say(f"That takes about {expected}. Did the call arrive? I send it again: nothing is made twice.")
    again = await agent.call("cluster_create_eks", clusterTag=wishes.tag)
    if not again.get("replayed") or again["operation_id"] != begun["operation_id"]:
        raise Otherwise(f"the same call began another operation, {again['operation_id']}.")
    agent.say("It is the same operation. I stay with it to its end.")
    return await agent.ended(begun, "cluster_get_eks_creation_status")


async def _activate(agent: Agent, tag: str) -> None:
    agent.say("The EKS cluster is there. I make it the active one and look whether it stands.")
    await agent.call("cluster_switch", clusterTag=tag)
    standing(await agent.call("cluster_get_status"))


async def _hyperpod(agent: Agent, wishes: Wishes) -> Json:
    agent.say("The dependencies are installed. Now I see which zones and instance types can be had.")
    zones = [each["name"] for each in (await agent.call("cluster_get_availability_zones"))["availability_zones"]]
    offered = await _accelerated(agent)
    agent.say(
        f"Yours to decide: zone ({', '.join(zones)}), instance type ({len(offered)} with accelerators, from "
        f"{min(offered)} to {max(offered)}), how many, and On-Demand or a training plan?"
    )
    agent.transcript.person(f"{wishes.availability_zone}, {wishes.count} {wishes.instance_type}, On-Demand.")
    instance_type = need(
        next((name for name in offered if name.endswith(f".{wishes.instance_type}")), None),
        f"no instance type {wishes.instance_type} is offered",
    )
    if wishes.availability_zone not in offered[instance_type]:
        raise Otherwise(f"{wishes.availability_zone} does not offer {instance_type}.")
    begun = await agent.call(
        "hyperpod_create",
        AcceleratedInstanceType=instance_type,
        AcceleratedInstanceCount=wishes.count,
        availabilityZone=wishes.availability_zone,
    )
    for finding in begun.get("findings", ()):
        agent.say(f"To know ({finding['level']}): {finding['message']}.")
    return await agent.ended(begun, "hyperpod_get_creation_status")


async def _accelerated(agent: Agent) -> dict[str, list[str]]:
    """Read the zones of each type with accelerators; where the first page has none, ask for such types alone."""
    answer = await agent.call("cluster_get_available_instances")
    if "next" in answer and not _with_accelerators(answer):
        agent.say("Those have no accelerators, and more pages follow. I ask for types with accelerators alone.")
        answer = await agent.call(answer["next"]["tool"], accelerated=True)
    offered = _with_accelerators(answer)
    while "next" in answer:
        answer = await agent.following(answer)
        offered |= _with_accelerators(answer)
    if not offered:
        raise Otherwise("no instance type with accelerators is offered.")
    return offered


def _with_accelerators(answer: Json) -> dict[str, list[str]]:
    types = [each for each in answer["instance_types"] if each["accelerator_count"]]
    return {each["name"]: each.get("availability_zones", []) for each in types}


async def _hand_over(agent: Agent, result: Json) -> None:
    """Look at the whole once more, and show what the operations gave."""
    agent.say("All operations have succeeded. A last look at the whole:")
    standing(await agent.call("cluster_get_status"))
    agent.say("Your cluster is ready:")
    say(summary(result))


def standing(cluster: Json) -> None:
    """Raise Otherwise for a cluster of which anything is known to be wrong."""
    held = cluster["summary"]
    if held["status"] != "READY":
        raise Otherwise(f"{cluster['tag']} is {held['status']}: {held.get('message')}")
