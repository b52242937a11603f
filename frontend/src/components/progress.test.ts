import { expect, it } from 'vitest';
import { type operation, stage } from '../live/operations.fixture';
import { phasesOf, progressOf } from './progress';

const now = Date.parse('2026-01-01T09:01:00Z');
const began = '2026-01-01T09:00:00Z';

it('measures progress by the time that stages usually take', () => {
  const stages = [stage(10, 'SUCCEEDED'), stage(20, 'RUNNING', { started_at: began }), stage(30, 'PENDING')];
  expect(progressOf({ stages }, now)).toMatchObject({ standing: 1, total: 3, secondsLeft: 140, percent: 53 });
});

it('does not call a stage done that takes longer than usual, nor one that failed', () => {
  const slow = [stage(10, 'RUNNING', { started_at: '2026-01-01T08:00:00Z' })];
  expect(progressOf({ stages: slow }, now)).toMatchObject({ secondsLeft: 5, percent: 95 });
  const failed = [stage(10, 'FAILED', { started_at: began, finished_at: began })];
  expect(progressOf({ stages: failed }, now)).toMatchObject({ standing: 0, percent: 0 });
});

it('counts what stood already, and is not troubled by an operation without stages', () => {
  expect(progressOf({ stages: [stage(10, 'SKIPPED')] }, now)).toMatchObject({ standing: 1, percent: 100 });
  expect(progressOf({ stages: [] }, now)).toMatchObject({ total: 0, percent: 0, running: undefined });
});

it('puts stages into their phases, in order', () => {
  const stages = [stage(10, 'SUCCEEDED'), stage(20, 'RUNNING', { phase: 'hyperpod' })];
  const phases: ReturnType<typeof operation>['phases'] = [
    { name: 'foundation', status: 'SUCCEEDED' },
    { name: 'hyperpod', status: 'RUNNING' },
  ];
  expect(phasesOf({ phases, stages }).map((phase) => [phase.name, phase.stages.length])).toEqual([
    ['foundation', 1],
    ['hyperpod', 1],
  ]);
});
