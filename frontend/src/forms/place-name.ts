import { sentence } from '../components/words';

const PARTS: Readonly<Record<string, string>> = {
  hyperpod: '',
  foundation: 'Foundation',
  storage: 'Storage',
  first_disk: 'Further disk',
  root_disk: 'KMS key of the root disk',
  volumes: 'More disks',
};

/** Where a field stands, as people read it: `Instance group workers, instance type`. */
export function placeName(field: string, groups: readonly { name: string }[]): string {
  const words: string[] = [];
  const parts = field.split('.');
  parts.forEach((part, index) => {
    if (/^(disk-)?\d+$/.test(part)) {
      return;
    }
    const next = parts[index + 1];
    if (part === 'instance_groups' && next !== undefined) {
      words.push(`Instance group ${groups[Number(next)]?.name || Number(next) + 1}`);
    } else {
      words.push(PARTS[part] ?? sentence(part));
    }
  });
  const [first = '', ...rest] = words.filter(Boolean);
  return [first, ...rest.map((word) => word.charAt(0).toLowerCase() + word.slice(1))].join(', ');
}
