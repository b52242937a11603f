import { useSearchParams } from 'react-router';
import type { Choices, DoorName } from './filling';

/** What is chosen stands in the address of the page, so that it can be sent to others. */
export function useChoices(doors: readonly DoorName[], known: readonly string[]) {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('door');
  const door = doors.find((each) => each === asked) ?? doors[0] ?? 'open';
  const toolsets = (search.get('toolsets') ?? '').split(',').filter((name) => known.includes(name));
  const choices: Choices = { toolsets, readonly: search.has('readonly') };
  const choose = (name: 'door' | 'toolsets' | 'readonly', value: string | null) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        value === null || value === 'default' ? after.delete(name) : after.set(name, value);
        return after;
      },
      { replace: true },
    );
  return { door, choices, choose };
}
