import { type Complaint, worded } from '../api/problems';
import { WithRemedy } from './with-remedy';

interface Props {
  complaints: readonly Complaint[];
  /** What helps against the problem as a whole, which is told beside them. */
  remedy: string | null | undefined;
  /** How many are shown at most; the rest is counted. */
  most?: number;
}

/** What a problem complains of, each with what helps; nothing where that is no more than the problem's own detail. */
export function Complaints({ complaints, remedy, most = complaints.length }: Props) {
  const told = complaints.map((each) => (each.remedy === remedy ? { ...each, remedy: null } : each));
  // The detail tells the first of them.
  if (told.length < 2 && !told.some((each) => each.remedy)) {
    return null;
  }
  return (
    <ul>
      {told.slice(0, most).map((complaint) => (
        <li key={`${complaint.field} ${complaint.message}`}>
          <WithRemedy remedy={complaint.remedy}>
            {complaint.field && <code>{complaint.field}</code>} {worded(complaint)}
          </WithRemedy>
        </li>
      ))}
      {told.length > most && <li>and {told.length - most} more</li>}
    </ul>
  );
}
