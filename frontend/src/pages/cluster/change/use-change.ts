import { useEffect, useRef, useState } from 'react';
import { useBegin, usePreview } from '../../../api/changing';
import type { ProblemError } from '../../../api/problems';
import type { Operation, Preview, Previewed } from '../../../api/schema';
import { isOutdated, type Wish } from '../../../api/wishes';

export interface ChangeState {
  /** What the wish as it is now would come to; undefined until that was asked for. */
  previewed: Previewed | undefined;
  /** The preview that was confirmed, where something else would happen by now. */
  overtaken: Preview | null;
  /** Why the wish could not be previewed or begun. */
  error: ProblemError | null;
  /** Whether it was the beginning that did not come about, rather than a look. */
  isRefused: boolean;
  isPreviewing: boolean;
  isBeginning: boolean;
  preview: () => void;
  begin: () => void;
}

interface Options {
  wanted: Wish;
  /** Whether it is previewed by itself, and again whenever the wish changes. */
  auto?: boolean;
  /** What may stand in the way, in words: when they change, a wish that was refused is looked at again. */
  inTheWay?: string;
  onBegun: (operation: Operation) => void;
}

/** A wish from its preview to its beginning, confirmed by the digest of what was seen. */
export function useChange({ wanted, auto = false, inTheWay = '', onBegun }: Options): ChangeState {
  const looking = usePreview();
  const beginning = useBegin(onBegun);
  const [overtaken, setOvertaken] = useState<Preview | null>(null);
  const { mutate: look, variables } = looking;
  const words = JSON.stringify(wanted);
  const isOfThis = variables !== undefined && JSON.stringify(variables) === words;
  const previewed = isOfThis ? looking.data : undefined;
  useEffect(() => {
    if (auto) {
      look(JSON.parse(words) as Wish);
    }
  }, [auto, look, words]);
  const isRefusedAhead = previewed !== undefined && !previewed.preview.digest;
  // What stood in the way when it was last looked at: it may have ended before the answer came.
  const lookedAt = useRef(inTheWay);
  useEffect(() => {
    if (isRefusedAhead && lookedAt.current !== inTheWay) {
      lookedAt.current = inTheWay;
      look(JSON.parse(words) as Wish);
    }
  }, [inTheWay, isRefusedAhead, look, words]);
  const begun = beginning.variables?.wish;
  // What was refused of the wish as it was before its options were changed is of no interest any more.
  const refused = JSON.stringify(begun) === words ? beginning.error : null;
  const isOld = refused !== null && isOutdated(refused.problem);
  useEffect(() => {
    if (isOld && begun) {
      look(begun);
    }
  }, [isOld, begun, look]);
  return {
    previewed,
    overtaken: isOld && isOfThis ? overtaken : null,
    error: (isOfThis ? looking.error : null) ?? (isOld ? null : refused),
    isRefused: refused !== null,
    isPreviewing: isOfThis && looking.isPending,
    isBeginning: beginning.isPending,
    preview: () => {
      beginning.reset();
      look(wanted);
    },
    begin: () => {
      setOvertaken(previewed?.preview ?? null);
      beginning.begin({ wish: wanted, confirm: previewed?.preview.digest ?? undefined });
    },
  };
}
