import { type ReactNode, useEffect, useRef } from 'react';
import { ServerFieldErrors } from '../../../components/server-field-errors';
import { StandingInTheWay } from './standing-in-the-way';
import type { ChangeState } from './use-change';

// What is wrong with the request itself; every other problem is one of what there is.
const INVALID = 400;

interface Props {
  change: ChangeState;
  /** The fields that are shown, by the API's names. */
  fields: readonly string[];
  /** Whether the focus goes to what is wrong: a person pressed a button. */
  takesFocus: boolean;
  children: ReactNode;
}

/** The fields of a change, with what the server says of them, and what stands in the way above them. */
export function ChangeFields({ change: { error, previewed }, fields, takesFocus, children }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus && error) {
      const wrong = place.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
      (wrong ?? place.current)?.focus();
    }
  }, [takesFocus, error]);
  const invalid = error?.problem.status === INVALID;
  return (
    <div ref={place} tabIndex={-1}>
      {error && !invalid && <StandingInTheWay problem={error.problem} />}
      <ServerFieldErrors fields={fields} problem={invalid ? error.problem : null} findings={previewed?.findings}>
        {children}
      </ServerFieldErrors>
    </div>
  );
}
