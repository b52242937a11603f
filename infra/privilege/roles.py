"""The policies of all roles of a deployment, computed from the topology: one document for each role's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.privilege.documents import Document, Statement
from infra.release import Place, function_role, machine_role

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from infra.topology import Topology


def documents(topology: Topology, place: Place, passable_role_arns: Iterable[str] = ()) -> Mapping[str, Document]:
    """Give the policy of every role of a deployment by the role's name, for functions, state machines and the rest."""
    functions = {function_role(each.name): _document(topology.actions_of(each.name)) for each in topology.functions}
    machines = {machine_role(each.name): _document(each.actions) for each in topology.machines}
    return {**functions, **machines, **{role.name: _document(()) for role in topology.roles}}


def _document(actions: frozenset[str] | tuple[str, ...]) -> Document:
    return Document((Statement("Declared", tuple(sorted(actions)), ("*",)),) if actions else ())
