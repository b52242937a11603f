import Alert from '@cloudscape-design/components/alert';
import Link from '@cloudscape-design/components/link';
import { type Complaint, fieldOf, worded } from '../api/problems';
import type { ProblemBody } from '../api/schema';
import { ProblemAlert } from '../components/problem-alert';
import { Remedy, WithRemedy } from '../components/with-remedy';
import { useReveal } from './reveal';
import { useFocusOn } from './use-focus';

interface Props {
  problem: ProblemBody | null;
  obstacles: readonly Complaint[];
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
              <li key={`${obstacle.field} ${obstacle.message}`}>
                <WithRemedy remedy={obstacle.remedy}>
                  <Place told={obstacle.field} fields={fields} name={name} /> {worded(obstacle)}
                </WithRemedy>
              </li>
            ))}
          </ul>
          {obstacles.every(({ remedy }) => remedy !== problem?.remedy) && <Remedy remedy={problem?.remedy} />}
        </Alert>
      )}
    </section>
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
