import type { Preview } from '../../../api/schema';
import { perHour } from '../../../components/money';
import { partsOf } from './preview-difference';

/** What a preview comes to, in a few lines. */
export function Summing({ preview }: { preview: Preview }) {
  const { done, kept } = partsOf(preview);
  const lost = done.changes.filter(({ irreversible }) => irreversible === true).length;
  return (
    <ul>
      <li>
        {counted(done.changes.length, 'change')}, of which {lost} cannot be undone
      </li>
      {kept.changes.length > 0 && <li>{counted(kept.changes.length, 'resource')} kept</li>}
      {preview.cost && <li>{perHour(preview.cost)} in all</li>}
    </ul>
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
