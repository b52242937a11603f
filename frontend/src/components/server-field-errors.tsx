import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { byField, complaintsIn, complaintsOf, type SortedComplaints } from '../api/problems';
import type { Finding, ProblemBody } from '../api/schema';
import { ProblemAlert } from './problem-alert';

const NONE: SortedComplaints = { at: {}, elsewhere: [] };
const Context = createContext<SortedComplaints>(NONE);

interface Props {
  /** The fields that the form shows, by the API's names: `hyperpod.availability_zone`. */
  fields: readonly string[];
  problem?: ProblemBody | null;
  findings?: readonly Finding[];
  children: ReactNode;
}

/** Takes what the server says of a request to the fields of its form; what has no field there is told above them. */
export function ServerFieldErrors({ fields, problem, findings, children }: Props) {
  const sorted = useMemo(
    () => byField([...(problem ? complaintsOf(problem) : []), ...complaintsIn(findings ?? [])], fields),
    [fields, problem, findings],
  );
  const isToldElsewhere = problem && (sorted.elsewhere.length > 0 || Object.keys(sorted.at).length === 0);
  return (
    <Context value={sorted}>
      {isToldElsewhere && <ProblemAlert problem={problem} complaints={sorted.elsewhere} />}
      {children}
    </Context>
  );
}

/** What the server says of one field, for a FormField's `errorText`. */
export function useServerError(field: string): string | undefined {
  return useContext(Context).at[field];
}

/** What the server says of the form's fields, by their names. */
export function useServerErrors(): SortedComplaints['at'] {
  return useContext(Context).at;
}
