import { expect, it } from 'vitest';
import { operation } from './operations.fixture';
import { ServerClock } from './server-clock';

const at = (time: string) => Date.parse(`2026-01-01T${time}Z`);

it('goes by the browser until the server says what time it is', () => {
  let local = at('12:00:00');
  const clock = new ServerClock(() => local);
  expect(clock.now()).toBe(local);
  clock.hear({ type: 'subscribed', topic: 't', at: '2026-01-01T09:00:00Z', complete: true });
  local += 5_000;
  expect(clock.now()).toBe(at('09:00:05'));
});

it('never falls behind what has been told, nor goes back for what is told late', () => {
  const clock = new ServerClock(() => at('12:00:00'));
  clock.hear({ type: 'subscribed', topic: 't', at: '2026-01-01T09:00:00Z', complete: true });
  clock.hear({ type: 'operation', operation_id: 'op-1', version: 30, operation: operation(30) });
  clock.hear({ type: 'operation', operation_id: 'op-1', version: 10, operation: operation(10) });
  expect(clock.now()).toBe(at('09:00:30'));
});
