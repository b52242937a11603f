"""The deployment's stores and workers are those of the topology, closed to others, kept, watched and told about."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from functions.core.signing import SECRETS
from infra.host.context import LOG_RETENTION_DAYS, Context
from infra.host.logs import RETENTION
from infra.host.report import report
from infra.host.roles import INLINE_LIMIT, MANAGED_LIMIT, policies
from infra.host.stack import MOST_RESOURCES, NAME
from infra.release import (
    DEAD_LETTERS,
    NOTIFICATIONS,
    Place,
    Release,
    environment,
    event_rules,
    function_role,
    machine_role,
    signing_key,
    signing_keys,
)
from infra.shapes import ROOT, Function, Role, Weight
from infra.topology import KUBERNETES_ADMIN, KUBERNETES_OPERATOR, PREFIX, TOPOLOGY
from tests.infrastructure.deployment import PLACE, Deployment, Empty, Resource, an_object, synthesised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

QUEUE = PLACE.arn("sqs", DEAD_LETTERS)


def every(function: Function, deployment: Deployment) -> Resource:
    return deployment.named("Lambda::Function", "FunctionName")[f"{PREFIX}{function.name}"]


def statements(resource: Resource, *path: str) -> list[dict[str, JsonValue]]:
    return resource.list_at(*path, "Statement")


def role_of(name: str, deployment: Deployment) -> Resource:
    return deployment.named("IAM::Role", "RoleName")[PLACE.global_name(name)]


# Tables


def test_tables_have_the_keys_indexes_and_streams_of_the_ledger(plain: Deployment) -> None:
    found = plain.named("DynamoDB::GlobalTable", "TableName")
    assert found.keys() == {f"{PREFIX}{table.name}" for table in TOPOLOGY.tables}
    for table in TOPOLOGY.tables:
        made = found[f"{PREFIX}{table.name}"]
        keys = [table.partition, *([table.sort] if table.sort else [])]
        assert [key["AttributeName"] for key in made.list_at("KeySchema")] == [key.name for key in keys]
        assert [index["IndexName"] for index in made.list_at("GlobalSecondaryIndexes")] == [
            index.name for index in table.indexes
        ]
        assert made.at("BillingMode") == table.billing
        assert made.at("SSESpecification", "SSEEnabled") is True
        assert made.at("TimeToLiveSpecification", "AttributeName") == table.ttl_attribute
        stream = "NEW_AND_OLD_IMAGES" if table.stream else None
        assert made.at("StreamSpecification", "StreamViewType") == stream


def test_what_can_be_restored_is_not_deleted_by_mistake(plain: Deployment) -> None:
    found = plain.named("DynamoDB::GlobalTable", "TableName")
    for table in TOPOLOGY.tables:
        made, durable = found[f"{PREFIX}{table.name}"], table.point_in_time_recovery
        (replica,) = made.list_at("Replicas")
        recovery = an_object(replica["PointInTimeRecoverySpecification"])
        assert recovery["PointInTimeRecoveryEnabled"] is durable
        assert replica["DeletionProtectionEnabled"] is durable
        assert made.whole["DeletionPolicy"] == ("RetainExceptOnCreate" if durable else "Delete")


# Roles


def test_every_role_has_its_fixed_name_its_path_and_the_computed_policy(plain: Deployment, chosen: Deployment) -> None:
    for deployment in (plain, chosen):
        passable, in_subnets = deployment.context.passable_role_arns, deployment.context.egress is not None
        for name, document in policies(TOPOLOGY, PLACE, passable, in_subnets=in_subnets).items():
            role = role_of(name, deployment)
            assert role.at("Path") == PLACE.role_path
            found = {str(each["Sid"]): normal(each) for each in held_by(role, deployment)}
            assert found == {each.sid: normal(each.as_json()) for each in document.statements}


def test_policies_fit_into_what_iam_takes_even_where_names_are_long_and_all_is_chosen(chosen: Deployment) -> None:
    far = Place(PLACE.account, "ap-southeast-2", "aws-us-gov")
    passable = [f"arn:aws-us-gov:iam::111122223333:role/company/training-{number:02}" for number in range(15)]
    assert Context.of({"passable_role_arns": passable}).passable_role_arns == tuple(passable)
    for name, document in policies(TOPOLOGY, far, passable, in_subnets=True).items():
        apart = {str(each["Sid"]) for each in apart_of(role_of(name, chosen), chosen)}
        assert document.without(*apart).size <= INLINE_LIMIT, name
        assert document.only(*apart).size <= MANAGED_LIMIT, name


def held_by(role: Resource, deployment: Deployment) -> list[dict[str, JsonValue]]:
    """List all statements of a role's policies, wherever they are written."""
    inline = [each for policy in role.list_at("Policies") for each in statements_of(policy["PolicyDocument"])]
    return [*inline, *apart_of(role, deployment)]


def apart_of(role: Resource, deployment: Deployment) -> list[dict[str, JsonValue]]:
    """List the statements of a role's managed policies, which are its own."""
    named = role.at("ManagedPolicyArns")
    policies = [deployment.reference(str(each)) for each in (an_array(named) if named else [])]
    name = str(role.at("RoleName")).removesuffix(f"-{PLACE.region}")
    assert all(each.at("ManagedPolicyName") == PLACE.global_name(f"{name}-looks") for each in policies)
    return [each for policy in policies for each in statements_of(policy.at("PolicyDocument"))]


def test_nothing_adds_to_a_computed_policy(plain: Deployment) -> None:
    writers = {f"<{role_of(function_role('files'), plain).name}>"}
    touched = {str(role) for policy in plain.of("IAM::Policy") for role in an_array(policy.at("Roles"))}
    assert touched <= writers


def test_a_function_that_acts_for_operations_trusts_itself_and_no_other_role(plain: Deployment) -> None:
    for function in TOPOLOGY.functions:
        name = function_role(function.name)
        service, *others = statements(role_of(name, plain), "AssumeRolePolicyDocument")
        assert service["Principal"] == {"Service": "lambda.amazonaws.com"}
        itself = {"ArnEquals": {"aws:PrincipalArn": [PLACE.role_arn(name)]}}
        assert [each["Condition"] for each in others] == ([itself] if function.acts_for_operations else [])


def test_state_machines_roles_serve_this_account_only(plain: Deployment) -> None:
    for machine in TOPOLOGY.machines:
        (trust,) = statements(role_of(machine_role(machine.name), plain), "AssumeRolePolicyDocument")
        assert trust["Principal"] == {"Service": "states.amazonaws.com"}
        assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": PLACE.account}}


@pytest.mark.parametrize("role", [KUBERNETES_ADMIN, KUBERNETES_OPERATOR])
def test_the_roles_that_clusters_know_outlive_the_deployment_and_trust_functions_only(
    plain: Deployment, role: Role
) -> None:
    made = role_of(role.name, plain)
    assert (made.whole["DeletionPolicy"], made.whole["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    (trust,) = statements(made, "AssumeRolePolicyDocument")
    assert trust["Principal"] == {"AWS": PLACE.arn("iam", "root", region=False)}
    trusted = an_object(an_object(trust["Condition"])["ArnEquals"])["aws:PrincipalArn"]
    may = [name.name for name in TOPOLOGY.functions if "sts:AssumeRole" in TOPOLOGY.actions_of(name.name)]
    assert isinstance(trusted, list)
    assert trusted
    assert set(map(str, trusted)) <= {PLACE.role_arn(function_role(name)) for name in may}


# Functions


@pytest.mark.parametrize("function", TOPOLOGY.functions, ids=lambda function: function.name)
def test_a_function_is_deployed_as_the_topology_has_it(
    plain: Deployment, chosen: Deployment, function: Function
) -> None:
    made = every(function, plain)
    assert made.at("Handler") == function.handler
    assert made.at("Runtime") == "python3.13"
    assert made.at("Timeout") == function.timeout_seconds
    assert made.at("MemorySize") == function.memory_megabytes
    assert made.at("TracingConfig", "Mode") == "Active"
    assert made.at("LoggingConfig", "LogFormat") == "JSON"
    assert made.at("Architectures") == ["x86_64" if function.weight is Weight.HELM else "arm64"]
    assert every(function, chosen).at("Architectures") == ["x86_64"]
    role = plain.reference(str(made.at("Role")))
    assert role.at("RoleName") == PLACE.global_name(function_role(function.name))


def test_a_function_has_the_layer_of_its_class_for_its_processor(plain: Deployment) -> None:
    for function in TOPOLOGY.functions:
        made = every(function, plain)
        (layer,) = [plain.reference(str(each)) for each in an_array(made.at("Layers"))]
        assert f"the class {function.weight}" in str(layer.at("Description"))
        assert layer.at("CompatibleArchitectures") == made.at("Architectures")


@pytest.mark.parametrize("days", [30, 7])
def test_every_log_is_kept_for_as_long_as_was_chosen(plain: Deployment, chosen: Deployment, days: int) -> None:
    deployment = plain if days == 30 else chosen
    groups = deployment.named("Logs::LogGroup", "LogGroupName")
    assert {group.at("RetentionInDays") for group in groups.values()} == {days}
    assert {f"/aws/lambda/{name}" for name in deployment.named("Lambda::Function", "FunctionName")} <= groups.keys()
    for function in TOPOLOGY.functions:
        group = deployment.reference(str(every(function, deployment).at("LoggingConfig", "LogGroup")))
        assert group.at("LogGroupName") == f"/aws/lambda/{PREFIX}{function.name}"


def test_functions_are_told_what_both_hosts_tell_them(chosen: Deployment) -> None:
    shared = environment(TOPOLOGY, PLACE, chosen.shipment.release, chosen.context.choices())
    for function in TOPOLOGY.functions:
        told = every(function, chosen).object_at("Environment", "Variables")
        own = {"AWS_PATIENCE": function.patience.value, "ROLE_ARN": PLACE.role_arn(function_role(function.name))}
        helm = {"HELM": "/opt/helm/helm"} if function.weight is Weight.HELM else {}
        assert {**shared, **own, **helm}.items() <= told.items()


@pytest.mark.parametrize("generations", [[1], [3, 2]], ids=["first", "third"])
def test_only_functions_that_sign_are_told_of_the_keys_and_of_their_secrets_alone(
    plain: Deployment, chosen: Deployment, generations: list[int]
) -> None:
    deployment = plain if generations == [1] else chosen
    secrets = deployment.named("SecretsManager::Secret", "Name")
    assert secrets.keys() == {signing_key(each) for each in generations}
    told = ",".join(f"<{secrets[signing_key(each)].name}>" for each in generations)
    signing = {"api", "catalog", "kubernetes"}
    for function in TOPOLOGY.functions:
        held = every(function, deployment).at("Environment", "Variables", SECRETS)
        assert held == (told if function.name in signing else None)


def test_what_signs_may_read_the_secrets_that_it_is_told_of_and_no_others(chosen: Deployment) -> None:
    role = role_of(function_role("api"), chosen)
    reading = [
        each for each in held_by(role, chosen) if "secretsmanager:GetSecretValue" in an_array(normal(each)["Action"])
    ]
    (pattern,) = [str(one) for each in reading for one in an_array(normal(each)["Resource"])]
    assert pattern == signing_keys(PLACE)
    named = [
        PLACE.arn("secretsmanager", f"secret:{name}-AbCdEf") for name in chosen.named("SecretsManager::Secret", "Name")
    ]
    assert [arn for arn in named if not fnmatchcase(arn, pattern)] == []
    assert not fnmatchcase(PLACE.arn("secretsmanager", "secret:instantstart-other-1-AbCdEf"), pattern)


def test_no_concurrency_is_reserved_unless_it_is_chosen(plain: Deployment, chosen: Deployment) -> None:
    def reserved(deployment: Deployment) -> dict[str, JsonValue]:
        made = deployment.named("Lambda::Function", "FunctionName")
        found = {name: each.at("ReservedConcurrentExecutions") for name, each in made.items()}
        return {name: count for name, count in found.items() if count is not None}

    assert reserved(plain) == {}
    assert reserved(chosen) == {f"{PREFIX}api": 5}


def test_what_calls_clusters_leaves_through_the_chosen_addresses_and_nothing_else_does(
    plain: Deployment, chosen: Deployment
) -> None:
    egress = chosen.context.egress
    assert egress is not None
    there = {"SubnetIds": [*egress.subnet_ids], "SecurityGroupIds": [*egress.security_group_ids]}
    for function in TOPOLOGY.functions:
        calls = function.weight in (Weight.KUBERNETES, Weight.HELM)
        assert every(function, chosen).at("VpcConfig") == (there if calls else None)
        assert every(function, plain).at("VpcConfig") is None
        assert may_stand_in_subnets(function, chosen) == calls
        assert not may_stand_in_subnets(function, plain)


def may_stand_in_subnets(function: Function, deployment: Deployment) -> bool:
    """Say whether Lambda may make interfaces in a function's name; the function's own code never may."""
    found = held_by(role_of(function_role(function.name), deployment), deployment)
    about = [each for each in found if "ec2:CreateNetworkInterface" in an_array(normal(each)["Action"])]
    denied = [each["Condition"] for each in about if each["Effect"] == "Deny"]
    itself = PLACE.arn("lambda", f"function:{PREFIX}{function.name}")
    assert denied == ([{"ArnEquals": {"lambda:SourceFunctionArn": [itself]}}] if about else [])
    return any(each["Effect"] == "Allow" for each in about)


def test_what_nobody_waits_for_is_repeated_and_then_kept(plain: Deployment) -> None:
    settings = {str(each.at("FunctionName")): each for each in plain.of("Lambda::EventInvokeConfig")}
    for function in TOPOLOGY.functions:
        set_up = settings[f"<{every(function, plain).name}>"]
        unattended = function.name in TOPOLOGY.unattended()
        assert set_up.at("MaximumRetryAttempts") == (2 if unattended else 0)
        target = set_up.at("DestinationConfig", "OnFailure", "Destination")
        assert (target is not None) == unattended
        if unattended:
            assert plain.reference(str(target)).at("QueueName") == DEAD_LETTERS
            allowed = policies(TOPOLOGY, PLACE, ())[function_role(function.name)].statements
            assert [each.resources for each in allowed if "sqs:SendMessage" in each.actions] == [(QUEUE,)]


# State machines


def test_every_placeholder_of_a_state_machine_gets_a_value(plain: Deployment) -> None:
    machines = plain.named("StepFunctions::StateMachine", "StateMachineName")
    assert machines.keys() == {f"{PREFIX}{machine.name}" for machine in TOPOLOGY.machines}
    for machine in TOPOLOGY.machines:
        made = machines[f"{PREFIX}{machine.name}"]
        wanted = set(re.findall(r"\$\{(\w+)\}", machine.path.read_text(encoding="utf-8")))
        assert wanted <= made.object_at("DefinitionSubstitutions").keys()
        assert made.object_at("DefinitionSubstitutions")["StateMachinePrefix"] == PLACE.arn(
            "states", f"stateMachine:{PREFIX}"
        )
        assert made.object_at("DefinitionSubstitutions")["Partition"] == PLACE.partition
        assert plain.reference(str(made.at("RoleArn"))).name == role_of(machine_role(machine.name), plain).name
        assert asset(plain, made) == machine.path.read_text(encoding="utf-8")


def test_state_machines_log_their_way_but_not_what_they_carry(plain: Deployment) -> None:
    for made in plain.of("StepFunctions::StateMachine"):
        assert made.at("StateMachineType") == "STANDARD"
        assert made.at("TracingConfiguration", "Enabled") is True
        assert made.at("LoggingConfiguration", "Level") == "ALL"
        assert made.at("LoggingConfiguration", "IncludeExecutionData") is False


# Triggers


def test_streams_repeat_a_part_and_keep_what_is_given_up(plain: Deployment) -> None:
    found = plain.of("Lambda::EventSourceMapping")
    assert len(found) == len(TOPOLOGY.streams)
    by_name = {
        (
            plain.reference(str(each.at("EventSourceArn"))).at("TableName"),
            plain.reference(str(each.at("FunctionName"))).at("FunctionName"),
        ): each
        for each in found
    }
    for stream in TOPOLOGY.streams:
        made = by_name[f"{PREFIX}{stream.table}", f"{PREFIX}{stream.function}"]
        patterns = [json.loads(str(each["Pattern"])) for each in made.list_at("FilterCriteria", "Filters")]
        assert patterns == [dict(pattern) for pattern in stream.patterns]
        assert (made.at("BatchSize"), made.at("MaximumRetryAttempts")) == (stream.batch_size, stream.maximum_retries)
        assert made.at("BisectBatchOnFunctionError") is True
        assert made.at("FunctionResponseTypes") == ["ReportBatchItemFailures"]
        target = str(made.at("DestinationConfig", "OnFailure", "Destination"))
        assert plain.reference(target).at("QueueName") == DEAD_LETTERS


def test_rules_and_schedules_run_their_functions_and_keep_what_they_cannot_deliver(plain: Deployment) -> None:
    rules = plain.named("Events::Rule", "Name")
    names = [*(rule.name for rule in TOPOLOGY.event_rules), *(schedule.name for schedule in TOPOLOGY.schedules)]
    assert rules.keys() == {f"{PREFIX}{name}" for name in names}
    for rule in event_rules(TOPOLOGY, environment(TOPOLOGY, PLACE, plain.shipment.release)):
        made = rules[f"{PREFIX}{rule.name}"]
        assert made.at("EventPattern") == rule.pattern
        assert target_of(made, plain)[0] == f"{PREFIX}{rule.function}"
    for schedule in TOPOLOGY.schedules:
        made = rules[f"{PREFIX}{schedule.name}"]
        assert seconds_of(str(made.at("ScheduleExpression"))) == schedule.every_seconds
        event = {"source": "schedule", "action": schedule.payload}
        assert target_of(made, plain) == (f"{PREFIX}{schedule.function}", event)


def test_every_pattern_fits_into_what_eventbridge_takes_even_where_names_are_long() -> None:
    far = Place(PLACE.account, "ap-southeast-2", "aws-us-gov")
    rules = event_rules(TOPOLOGY, environment(TOPOLOGY, far, Release("r1", ())))
    # A quarter would do: what grows with the pipelines would be over it today.
    assert all(len(json.dumps(rule.pattern)) <= 2_048 // 4 for rule in rules)


def test_one_permission_lets_all_rules_run_a_function(plain: Deployment) -> None:
    run = {rule.function for rule in TOPOLOGY.event_rules} | {each.function for each in TOPOLOGY.schedules}
    found = [each for each in plain.of("Lambda::Permission") if each.at("Principal") == "events.amazonaws.com"]
    names = [plain.reference(str(each.at("FunctionName"))).at("FunctionName") for each in found]
    assert sorted(map(str, names)) == sorted(f"{PREFIX}{name}" for name in run)
    assert {each.at("SourceArn") for each in found} == {PLACE.arn("events", f"rule/{PREFIX}*")}


def test_the_queue_of_dead_letters_takes_from_our_rules_over_tls_only(plain: Deployment) -> None:
    (queue,) = plain.of("SQS::Queue")
    assert queue.at("SqsManagedSseEnabled") is True
    (policy,) = plain.of("SQS::QueuePolicy")
    refuse, allow = statements(policy, "PolicyDocument")
    assert (refuse["Effect"], refuse["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})
    assert (allow["Principal"], allow["Action"]) == ({"Service": "events.amazonaws.com"}, "sqs:SendMessage")
    assert allow["Condition"] == {"ArnLike": {"aws:SourceArn": PLACE.arn("events", f"rule/{PREFIX}*")}}


# Buckets


def test_buckets_are_closed_encrypted_and_reached_over_tls_only(plain: Deployment) -> None:
    buckets = plain.named("S3::Bucket", "BucketName")
    assert {PLACE.bucket("artifacts"), PLACE.bucket("audit")} <= buckets.keys()
    policies_of = {str(each.at("Bucket")): each for each in plain.of("S3::BucketPolicy")}
    for bucket in buckets.values():
        assert set(bucket.object_at("PublicAccessBlockConfiguration").values()) == {True}
        assert bucket.at("BucketEncryption", "ServerSideEncryptionConfiguration")
        refused = [each["Condition"] for each in statements(policies_of[f"<{bucket.name}>"], "PolicyDocument")]
        assert {"Bool": {"aws:SecureTransport": "false"}} in refused


def test_the_audit_outlives_the_deployment_for_its_years(plain: Deployment) -> None:
    buckets = plain.named("S3::Bucket", "BucketName")
    for declared in TOPOLOGY.buckets:
        made = buckets[PLACE.bucket(declared.name)]
        assert made.whole["DeletionPolicy"] == "RetainExceptOnCreate"
        assert made.at("VersioningConfiguration", "Status") == "Enabled"
        days = [rule.get("ExpirationInDays") for rule in made.list_at("LifecycleConfiguration", "Rules")]
        assert declared.keep_days in days


def test_a_release_lies_in_the_artifact_bucket_before_a_function_runs(chosen: Deployment) -> None:
    (files,) = [each for each in chosen.of("Custom::Files") if artifacts(each, chosen)]
    (archive,) = files.list_at("archives")
    assert archive["prefix"] == f"{chosen.shipment.release.name}/"
    folder = chosen.assembly / f"asset.{str(archive['key']).removesuffix('.zip')}"
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} == set(
        chosen.shipment.files
    )
    for function in TOPOLOGY.functions:
        assert files.name in an_array(every(function, chosen).whole["DependsOn"])
    for machine in chosen.of("StepFunctions::StateMachine"):
        # Step Functions tries the role's right to deliver logs at once, and IAM is slow.
        assert files.name in an_array(machine.whole["DependsOn"])


# Watching


def test_every_alarm_tells_the_topic_of_beginning_and_end(plain: Deployment) -> None:
    (topic,) = plain.of("SNS::Topic")
    assert topic.at("TopicName") == NOTIFICATIONS
    for alarm in plain.of("CloudWatch::Alarm"):
        assert (alarm.at("AlarmActions"), alarm.at("OKActions")) == ([f"<{topic.name}>"], [f"<{topic.name}>"])


def test_what_needs_a_person_has_an_alarm(plain: Deployment) -> None:
    alarms = plain.named("CloudWatch::Alarm", "AlarmName")
    assert {f"{PREFIX}{function.name}-failing" for function in TOPOLOGY.functions} <= alarms.keys()
    assert {f"{PREFIX}{stream.function}-behind" for stream in TOPOLOGY.streams} <= alarms.keys()
    assert {
        f"{PREFIX}{name}" for name in ("dead-letters", "executions-failing", "functions-throttled")
    } <= alarms.keys()
    silent = alarms[f"{PREFIX}sweeper-silent"]
    assert silent.list_at("Dimensions") == [{"Name": "RuleName", "Value": f"{PREFIX}sweeper"}]
    assert silent.at("TreatMissingData") == "breaching"
    assert silent.at("ComparisonOperator") == "LessThanThreshold"


def test_each_door_that_answers_with_faults_has_an_alarm(plain: Deployment) -> None:
    alarms = plain.named("CloudWatch::Alarm", "AlarmName")
    doors = {f"{PREFIX}public-faults", f"{PREFIX}internal-faults"}
    watched = {str(each["Value"]) for name in doors for each in alarms[name].list_at("Dimensions")}
    http = {f"<{each.name}>" for each in plain.of("ApiGatewayV2::Api") if each.at("ProtocolType") == "HTTP"}
    assert watched == http
    assert {(alarms[name].at("Namespace"), alarms[name].at("MetricName")) for name in doors} == {
        ("AWS/ApiGateway", "5xx")
    }


def test_alarms_may_write_to_the_topic(plain: Deployment) -> None:
    (policy,) = plain.of("SNS::TopicPolicy")
    refuse, allow = statements(policy, "PolicyDocument")
    assert refuse["Effect"] == "Deny"
    assert allow["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert allow["Condition"] == {"StringEquals": {"aws:SourceAccount": PLACE.account}}


def test_an_address_is_told_only_when_one_is_chosen(plain: Deployment, chosen: Deployment) -> None:
    assert plain.of("SNS::Subscription") == []
    (subscription,) = chosen.of("SNS::Subscription")
    assert (subscription.at("Protocol"), subscription.at("Endpoint")) == ("email", "alarms@example.com")


def test_there_is_one_dashboard_with_all_alarms(plain: Deployment) -> None:
    (dashboard,) = plain.of("CloudWatch::Dashboard")
    body = str(dashboard.at("DashboardBody"))
    assert all(f"<{alarm.name}.Arn>" in body for alarm in plain.of("CloudWatch::Alarm"))


# The whole


def test_the_stack_keeps_below_what_is_asked(plain: Deployment) -> None:
    assert len(plain.resources) <= MOST_RESOURCES


def test_everything_that_can_be_tagged_has_our_tag_and_the_companys(chosen: Deployment) -> None:
    wanted = {("team", "ml"), ("instantstart:managed-by", "instantstart")}
    for kind in ("Lambda::Function", "IAM::Role", "S3::Bucket", "SQS::Queue", "SNS::Topic", "Events::Rule"):
        for made in chosen.of(kind):
            assert wanted <= {(tag["Key"], tag["Value"]) for tag in made.list_at("Tags")}, made.name
    for table in chosen.of("DynamoDB::GlobalTable"):
        (replica,) = table.list_at("Replicas")
        assert wanted <= {(an_object(tag)["Key"], an_object(tag)["Value"]) for tag in an_array(replica["Tags"])}


def test_a_release_without_its_charts_is_synthesised_but_not_deployed(plain: Deployment, chosen: Deployment) -> None:
    assert plain.shipment.refused is not None
    assert [plain.shipment.refused] == errors(plain)
    assert errors(chosen) == []


def test_stand_in_charts_are_deployed_by_nobody_who_does_not_say_so(plain: Deployment, chosen: Deployment) -> None:
    assert "RehearsalOnly" in chosen.parameters
    assert "RehearsalOnly" not in plain.parameters


def test_the_settings_of_a_function_have_room(chosen: Deployment) -> None:
    for function in TOPOLOGY.functions:
        told = every(function, chosen).object_at("Environment", "Variables")
        # What a person may choose takes at most a quarter of the 4 KB (context.py); the edge adds a few addresses.
        assert sum(len(name) + len(str(value)) for name, value in told.items()) < 2700


def test_a_wrong_context_costs_one_sentence_and_no_traceback() -> None:
    given = json.dumps({"instantstart": {"log_retention_days": 31}})
    told = subprocess.run(
        [sys.executable, "-m", "infra.app"],
        env={**os.environ, "CDK_CONTEXT_JSON": given},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith("The context instantstart.log_retention_days ")
    assert told.stderr.count("\n") == 1


def test_the_report_names_resources_sizes_and_what_is_in_the_way(plain: Deployment) -> None:
    told = report(plain.assembly, 1.5, "no chart")
    assert f"{len(plain.resources)} resources" in told
    assert "1.5 s" in told
    assert told.count(" kB ") >= len(TOPOLOGY.machines)
    assert told.endswith("It cannot be deployed: no chart.\n")
    assert "cannot" not in report(plain.assembly, 1.5, None)


def test_what_cloudwatch_offers_is_what_can_be_chosen() -> None:
    assert [*RETENTION] == [*LOG_RETENTION_DAYS]
    assert Context().log_retention_days in RETENTION


def errors(deployment: Deployment) -> list[str]:
    manifest = json.loads((deployment.assembly / "manifest.json").read_text(encoding="utf-8"))
    notes = deployment.assembly / manifest["artifacts"][NAME]["additionalMetadataFile"]
    found = json.loads(notes.read_text(encoding="utf-8"))
    return [note["data"] for each in found.values() for note in each if note["type"] == "aws:cdk:error"]


def statements_of(document: JsonValue) -> list[dict[str, JsonValue]]:
    return [an_object(each) for each in an_array(an_object(document)["Statement"])]


def normal(statement: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Write a single value as the list that it stands for, as IAM reads it; CDK does the opposite."""
    lists = ("Action", "Resource")
    return {key: [value] if key in lists and isinstance(value, str) else value for key, value in statement.items()}


def asset(deployment: Deployment, machine: Resource) -> str:
    key = str(machine.at("DefinitionS3Location", "Key"))
    return (deployment.assembly / f"asset.{key}").read_text(encoding="utf-8")


def artifacts(files: Resource, deployment: Deployment) -> bool:
    return deployment.reference(str(files.at("bucket"))).at("BucketName") == PLACE.bucket("artifacts")


def target_of(rule: Resource, deployment: Deployment) -> tuple[str, JsonValue]:
    (target,) = rule.list_at("Targets")
    given_up = an_object(target["DeadLetterConfig"])["Arn"]
    assert deployment.reference(str(given_up)).at("QueueName") == DEAD_LETTERS
    function = deployment.reference(str(target["Arn"])).at("FunctionName")
    return str(function), json.loads(str(target.get("Input", "null")))


def seconds_of(rate: str) -> int:
    found = re.fullmatch(r"rate\((?:1 minute|(\d+) minutes)\)", rate)
    assert found
    return 60 * int(found[1] or 1)


def an_array(value: JsonValue) -> list[JsonValue]:
    assert isinstance(value, list)
    return value


def test_agents_meet_a_version_that_starts_from_its_snapshot_and_knows_the_door(plain: Deployment) -> None:
    gateway = plain.named("Lambda::Function", "FunctionName")["instantstart-mcp"]
    assert gateway.at("SnapStart", "ApplyOn") == "PublishedVersions"
    settings = gateway.at("Environment", "Variables")
    assert isinstance(settings, dict)
    assert str(settings["INTERNAL_API_URL"]).startswith("https://<InternalApi>.")
    assert settings["AGENT_ROLES"] == "{}"
    (alias,) = plain.of("Lambda::Alias")
    assert (alias.at("FunctionName"), alias.at("Name")) == (f"<{gateway.name}>", "newest")
    called = [each for each in plain.of("ApiGatewayV2::Integration") if f"<{alias.name}>" in str(each.properties)]
    permitted = [each for each in plain.of("Lambda::Permission") if f"<{alias.name}>" in str(each.properties)]
    assert (len(called), len(permitted)) == (2, 2), "one for each door"


def test_another_layer_alone_is_another_version(
    plain: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (before,) = plain.of("Lambda::Version")
    monkeypatch.setattr(Empty, "layer", lambda self, *_: self._archive("newer"))
    (after,) = synthesised(plain.context, tmp_path).of("Lambda::Version")
    assert after.name != before.name
