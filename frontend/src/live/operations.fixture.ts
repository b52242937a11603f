import type { Operation, Stage } from '../api/schema';

/** A stage as the API tells one. */
export function stage(number: number, status: Stage['status'], more: Partial<Stage> = {}): Stage {
  return {
    number,
    phase: 'foundation',
    name: `stage-${number}`,
    function: 'stages_cluster',
    title: `Stage ${number}`,
    status,
    attempt: 1,
    started_at: null,
    finished_at: null,
    expected_seconds: 100,
    reason: null,
    message: null,
    resources: [],
    result: {},
    error: null,
    ...more,
  };
}

/** An operation as the API tells one. */
export function operation(version: number, more: Partial<Operation> = {}): Operation {
  return {
    operation_id: 'op-1',
    kind: 'create_cluster',
    cluster_tag: 'first',
    account_id: '123456789012',
    region: 'us-west-2',
    actor: { id: 'ann', channel: 'console', client: 'console' },
    status: 'RUNNING',
    reason: null,
    phases: [{ name: 'foundation', status: 'RUNNING' }],
    stages: [stage(10, 'RUNNING')],
    request: {},
    findings: [],
    result: null,
    error: null,
    scopes: ['cluster'],
    created_at: '2026-01-01T09:00:00Z',
    started_at: '2026-01-01T09:00:00Z',
    updated_at: `2026-01-01T09:00:${String(version).padStart(2, '0')}Z`,
    finished_at: null,
    version,
    retry_after_seconds: null,
    retry_of: null,
    ...more,
  };
}
