"""Amazon EKS Auth: the call by which the pod identity agent gets a pod the credentials of its association's role."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from infra.local.simulators.neighbours import role_of, trusts
from infra.local.simulators.service import JsonObject, Service, ServiceError, ServiceRequest, refuse_unverified

if TYPE_CHECKING:
    from infra.local.identities import Identity
    from infra.local.simulators.eks_records import AssociationRecord, ClusterRecord
    from infra.local.simulators.neighbours import ClientFactory

# Source: Amazon EKS user guide, "Understand how EKS Pod Identity works".
AUDIENCE = "pods.eks.amazonaws.com"
LIFE = timedelta(hours=6)


class EksAuth(Service):
    """AssumeRoleForPodIdentity; `claims_of` verifies a token of a cluster."""

    name: ClassVar[str] = "eks-auth"

    def __init__(
        self,
        now: Callable[[], datetime],
        account_id: str,
        region: str,
        clusters: Callable[[], Mapping[str, ClusterRecord]],
        iam: ClientFactory,
        assume: Callable[[str, str], Identity],
        claims_of: Callable[[str, str], Mapping[str, object] | None],
    ) -> None:
        super().__init__(now, account_id, region)
        self.records = None
        self._clusters, self._iam, self._assume, self._claims_of = clusters, iam, assume, claims_of

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """The one operation of the service."""
        return {"AssumeRoleForPodIdentity": self._assume_role}

    def _assume_role(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        refuse_unverified(params, {"clusterName", "token"})
        cluster = self._clusters().get(params["clusterName"])
        if cluster is None:
            raise ServiceError("ResourceNotFoundException", f"No cluster found for name: {params['clusterName']}.", 404)
        pod = self._pod(cluster.name, params["token"])
        association = _association(cluster, str(pod["namespace"]), pod["serviceaccount"]["name"])
        self._require_trust(association.role_arn)
        session = f"eks-{cluster.name}-{association.service_account}"[:64]
        return self._answer_for(association, self._assume(association.role_arn, session), session)

    def _pod(self, cluster: str, token: str) -> dict[str, Any]:
        claims = self._claims_of(cluster, token)
        audiences = claims.get("aud") if claims else None
        if claims is None or not isinstance(audiences, list) or AUDIENCE not in audiences:
            raise ServiceError("InvalidTokenException", "The token included in the request is invalid.", 400)
        if int(str(claims.get("exp", 0))) <= self.now().timestamp():
            raise ServiceError("ExpiredTokenException", "The token included in the request is expired.", 400)
        pod: dict[str, Any] = dict(claims["kubernetes.io"])  # type: ignore[call-overload]  # the cluster wrote it
        return pod

    def _require_trust(self, role_arn: str) -> None:
        role = role_of(self._iam(), role_arn)
        if role is None or not trusts(role, AUDIENCE):
            message = "Unauthorized Exception! EKS does not have permissions to assume the associated role."
            raise ServiceError("AccessDeniedException", message, 400)

    def _answer_for(self, association: AssociationRecord, identity: Identity, session: str) -> JsonObject:
        return {
            "subject": {"namespace": association.namespace, "serviceAccount": association.service_account},
            "audience": AUDIENCE,
            "podIdentityAssociation": {
                "associationArn": association.arn,
                "associationId": association.association_id,
            },
            "assumedRoleUser": {"arn": identity.arn, "assumeRoleId": f"{identity.access_key}:{session}"},
            "credentials": {
                "accessKeyId": identity.access_key,
                "secretAccessKey": identity.secret_key,
                "sessionToken": identity.session_token,
                "expiration": self.now() + LIFE,
            },
        }


def _association(cluster: ClusterRecord, namespace: str, account: str) -> AssociationRecord:
    for each in cluster.associations.values():
        if (each.namespace, each.service_account) == (namespace, account):
            return each
    message = f"No association found for namespace {namespace} and service account {account}"
    raise ServiceError("ResourceNotFoundException", message, 404)
