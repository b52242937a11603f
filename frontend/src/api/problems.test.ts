import { describe, expect, it } from 'vitest';
import { byField, complaintsIn, complaintsOf, problemIn, problemOf, unreachable } from './problems';

describe('problemOf', () => {
  it('takes the problem object of the API as it is', () => {
    const body = {
      title: 'Conflict',
      code: 'busy',
      detail: 'AWS changes it.',
      remedy: 'Wait.',
      retryable: true,
      request_id: 'r-1',
    };
    expect(problemOf(409, body)).toMatchObject({ ...body, status: 409 });
  });

  it('makes one of what a gateway says before the API', () => {
    expect(problemOf(404, { message: 'Not Found' })).toMatchObject({
      code: 'http_404',
      detail: 'Not Found',
      retryable: false,
    });
    expect(problemOf(403, { message: 'Forbidden' }).remedy).toContain('Ask an administrator');
    expect(problemOf(502, '<html>')).toMatchObject({ code: 'http_502', retryable: true, errors: [] });
  });

  it('says of each thing that stands in the way what helps against it', () => {
    const blocker = { field: 'eni-1', message: 'is used by vpce-1', allowed: null, remedy: 'Delete vpce-1.' };
    expect(problemOf(409, { errors: [blocker] }).errors).toEqual([blocker]);
  });

  it('is not broken by members of other shapes', () => {
    const told = problemOf(400, {
      errors: ['odd', { field: 'tag', message: 'is taken', allowed: [1], remedy: 7 }],
      cause: 'none',
      detail: 7,
    });
    expect(told.errors).toEqual([{ field: 'tag', message: 'is taken', allowed: ['1'], remedy: null }]);
    expect(told.cause).toBeNull();
  });
});

it('takes what helps against a problem to the first of what it complains of, unless that says so itself', () => {
  const complaint = { field: 'tag', message: 'is taken', allowed: null };
  const remediesOf = (...remedies: (string | null)[]) => {
    const errors = remedies.map((remedy) => ({ ...complaint, remedy }));
    return complaintsOf(problemOf(409, { errors, remedy: 'Take another.' })).map(({ remedy }) => remedy);
  };
  expect(remediesOf(null, null)).toEqual(['Take another.', null]);
  expect(remediesOf('Delete it.', 'Wait.')).toEqual(['Delete it.', 'Wait.']);
  expect(remediesOf()).toEqual([]);
});

describe('problemIn', () => {
  it('tells a fault of the console from one of the API', () => {
    expect(problemIn(unreachable()).code).toBe('unreachable');
    expect(problemIn(new Error('x is undefined'))).toMatchObject({ code: 'console_fault', detail: 'x is undefined' });
  });
});

describe('byField', () => {
  const fields = ['tag', 'hyperpod.instance_groups.0', 'hyperpod.instance_groups.0.name'];

  it('takes a complaint to the longest field that leads to it', () => {
    const { at, elsewhere } = byField(
      [
        { field: 'hyperpod.instance_groups.0.name', message: 'is taken twice' },
        { field: 'hyperpod.instance_groups[0].volume', message: 'is too small' },
      ],
      fields,
    );
    expect(at).toEqual({
      'hyperpod.instance_groups.0.name': 'is taken twice',
      'hyperpod.instance_groups.0': 'is too small',
    });
    expect(elsewhere).toEqual([]);
  });

  it('keeps what no field shows, and does not take one name for the beginning of another', () => {
    const complaint = { field: 'tags', message: 'has no such member' };
    expect(byField([complaint], fields)).toEqual({ at: {}, elsewhere: [complaint] });
  });

  it('says all that is wrong with a field, and what would be right', () => {
    const wrong = [
      { field: 'tag', message: 'is too long' },
      { field: 'tag', message: 'has capitals', allowed: ['a-z', '0-9'] },
    ];
    expect(byField(wrong, fields).at.tag).toBe('is too long has capitals. Allowed: a-z, 0-9.');
  });

  it('says with it what helps, as sentences', () => {
    const wrong = [
      { field: 'tag', message: 'is too long', remedy: 'Take a shorter one.' },
      { field: 'tag', message: 'is odd', allowed: ['a'], remedy: 'Take another.' },
    ];
    expect(byField(wrong, fields).at.tag).toBe(
      'is too long. What helps: Take a shorter one. is odd. Allowed: a. What helps: Take another.',
    );
  });

  it('reads findings that refuse, and no others', () => {
    const finding = {
      check: 'zone',
      message: 'has none',
      field: 'tag',
      resource: null,
      remedy: 'Take another.',
      allowed: null,
      code: null,
    };
    const found = complaintsIn([
      { ...finding, level: 'error' },
      { ...finding, level: 'warning' },
    ]);
    expect(found).toEqual([{ field: 'tag', message: 'has none', allowed: null, remedy: 'Take another.' }]);
  });
});
