"""The keys that sign page tokens and previews; a deployment with the next generation rotates them."""

from __future__ import annotations

from aws_cdk import RemovalPolicy
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.host.acknowledged import acknowledge
from infra.release import signing_key


class SigningKeys(Construct):
    """The key of the present generation, and the one before it, which is still accepted.

    CloudFormation makes the keys; no template, no asset and no function's settings hold one. `arns` names their secrets
    as functions are told, the newest first. What they sign lives for minutes, so nothing is lost with a key but the
    place in a list.
    """

    arns: str

    def __init__(self, scope: Construct, construct_id: str, *, generation: int) -> None:
        super().__init__(scope, construct_id)
        accepted = range(generation, max(generation - 2, 0), -1)
        self.arns = ",".join(self._add(number) for number in accepted)

    def _add(self, generation: int) -> str:
        secret = secretsmanager.Secret(
            self,
            f"generation-{generation}",
            secret_name=signing_key(generation),
            description=f"Signs page tokens and previews, generation {generation}",
            generate_secret_string=secretsmanager.SecretStringGenerator(password_length=48, exclude_punctuation=True),
            removal_policy=RemovalPolicy.DESTROY,
        )
        acknowledge(secret, "SMG4", "The next generation rotates it, and keeps it acceptable for a while.")
        return secret.secret_arn
