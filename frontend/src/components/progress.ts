import type { Operation, Stage } from '../api/schema';
import { secondsBetween } from './durations';

const STANDING: ReadonlySet<string> = new Set(['SUCCEEDED', 'SKIPPED']);

export interface Progress {
  standing: number;
  total: number;
  /** The stage that runs, or the first of several. */
  running: Stage | undefined;
  /** By what stages usually take. */
  secondsLeft: number;
  /** Of the time that stages usually take, not of their number. */
  percent: number;
}

/** How far an operation is at a moment of the server's clock. */
export function progressOf({ stages }: Pick<Operation, 'stages'>, now: number): Progress {
  const wanted = stages ?? [];
  const left = wanted.reduce((sum, stage) => sum + leftOf(stage, now), 0);
  const all = wanted.reduce((sum, stage) => sum + stage.expected_seconds, 0);
  return {
    standing: wanted.filter(({ status }) => STANDING.has(status)).length,
    total: wanted.length,
    running: wanted.find(({ status }) => status === 'RUNNING'),
    secondsLeft: Math.ceil(left),
    percent: all > 0 ? Math.round(100 * (1 - left / all)) : 0,
  };
}

function leftOf(stage: Stage, now: number): number {
  if (STANDING.has(stage.status)) {
    return 0;
  }
  const spent = secondsBetween(stage.started_at, stage.finished_at, now) ?? 0;
  // A stage that takes longer than usual is not done for that.
  return Math.max(stage.expected_seconds - spent, stage.expected_seconds * 0.05);
}

export interface PhaseOf {
  name: string;
  status: string;
  stages: readonly Stage[];
}

/** The phases of an operation with their stages, in order. */
export function phasesOf({ phases, stages }: Pick<Operation, 'phases' | 'stages'>): PhaseOf[] {
  const all = stages ?? [];
  return (phases ?? []).map(({ name, status }) => ({
    name,
    status,
    stages: all.filter(({ phase }) => phase === name),
  }));
}
