import { describe, expect, it } from 'vitest';
import { operation } from '../live/operations.fixture';
import { findingsOf } from './results';

const WARNING = { check: 'efa', level: 'warning', message: 'No EFA there.', remedy: 'Place it elsewhere.' } as const;

describe('what was noticed about an operation', () => {
  it('is told of its request and of its result, with what helps', () => {
    const asked = { check: 'zone', level: 'info', message: 'One zone.' } as const;
    expect(findingsOf(operation(1, { findings: [asked], result: { findings: [WARNING] } }))).toEqual([asked, WARNING]);
  });

  it('is told once', () => {
    expect(findingsOf(operation(1, { findings: [WARNING], result: { findings: [WARNING] } }))).toEqual([WARNING]);
  });

  it('is told of each field and each resource that it was noticed at', () => {
    const [one, other] = [
      { ...WARNING, resource: 'subnet-1' },
      { ...WARNING, resource: 'subnet-2' },
    ];
    const field = { ...one, field: 'subnets' };
    const told = operation(1, { findings: [one], result: { findings: [one, other, field] } });
    expect(findingsOf(told)).toEqual([one, other, field]);
  });

  it('is nothing where a result says nothing of the kind', () => {
    for (const result of [null, {}, { findings: null }, { findings: ['x', null, { check: 'x' }] }]) {
      expect(findingsOf(operation(1, { result }))).toEqual([]);
    }
  });
});
