import { NotSaid } from '../../../components/unknowns';

/** Names of zones, none of which breaks in two. */
export function Zones({ names }: { names: readonly string[] | null }) {
  if (names === null) {
    return <NotSaid />;
  }
  return names.map((name, index) => (
    <span key={name}>
      <span className="whole">{name}</span>
      {index < names.length - 1 && ', '}
    </span>
  ));
}
