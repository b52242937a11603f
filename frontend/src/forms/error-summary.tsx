import Alert from '@cloudscape-design/components/alert';
import Link from '@cloudscape-design/components/link';
import { fieldOf, worded } from '../api/problems';
import type { ProblemBody } from '../api/schema';
import { ProblemAlert } from '../components/problem-alert';
import { useReveal } from './reveal';
import { useFocusOn } from './use-focus';
import type { Obstacle } from './use-review';

interface Props {
  problem: ProblemBody | null;
  obstacles: readonly Obstacle[];
  /** The fields that the form shows. */
  fields: readonly string[];
  /** What it all comes from: another thing is new, and takes the focus. */
  news: object | null;
  /** Where a field stands, as people read it. */
  name: (field: string) => string;
}

/** What stands in the way of a request, each with the way to its field; it takes the focus. */
export function ErrorSummary({ problem, obstacles, fields, news, name }: Props) {
  const place = useFocusOn(obstacles.length > 0 || problem ? news : null);
  if (obstacles.length === 0 && problem === null) {
    return null;
  }
  return (
    <section ref={place} tabIndex={-1} className="news" aria-label="What is in the way">
      {obstacles.length === 0 && problem ? (
        <ProblemAlert problem={problem} />
      ) : (
        <Alert type="error" header={headerOf(obstacles.length)}>
          <ul>
            {obstacles.map((obstacle) => (
              <li key={`${obstacle.field} ${obstacle.message}`} className="value">
                <Place told={obstacle.field} fields={fields} name={name} /> {worded(obstacle)}
                {obstacle.remedy && <Remedy remedy={obstacle.remedy} />}
              </li>
            ))}
          </ul>
          {problem?.remedy && <Remedy remedy={problem.remedy} />}
        </Alert>
      )}
    </section>
  );
}

function Remedy({ remedy }: { remedy: string }) {
  return (
    <div className="value">
      <strong>What helps:</strong> {remedy}
    </div>
  );
}

function Place({ told, fields, name }: Pick<Props, 'fields' | 'name'> & { told: string }) {
  const { reveal } = useReveal();
  const field = fieldOf(told, fields);
  if (field === undefined) {
    return told && told !== 'body' ? <code>{told}</code> : null;
  }
  return <Link onFollow={() => reveal(field)}>{name(field)}</Link>;
}

function headerOf(count: number): string {
  return count === 1 ? 'One thing is in the way' : `${count} things are in the way`;
}
