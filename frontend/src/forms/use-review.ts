import { useEffect, useState } from 'react';
import { useBegin, usePreview, WishKey } from '../api/changing';
import { type Complaint, complaintsIn, complaintsOf } from '../api/problems';
import type { Operation, Preview, Previewed, ProblemBody } from '../api/schema';
import { isOutdated, type Wish } from '../api/wishes';

/** What is looked at before it is begun. */
interface Looked {
  wish: Wish;
  told: Previewed;
  /** The preview that was confirmed, where it is outdated and this is the one that counts now. */
  before: Preview | null;
}

/**
 * The way from a form to an operation: look what a wish comes to, show it, begin it by the digest of what was shown.
 *
 * When something else would happen by then, the new preview is shown beside what it differs from.
 */
export function useReview(onBegun: (operation: Operation) => void) {
  const { mutate, isPending, error } = usePreview();
  const [key] = useState(() => new WishKey());
  const begin = useBegin((operation) => {
    key.begun();
    onBegun(operation);
  });
  const [looked, setLooked] = useState<Looked | null>(null);
  const [reviewing, setReviewing] = useState(false);

  const look = (wish: Wish, before: Preview | null) =>
    mutate(wish, {
      onSuccess: (told) => {
        setLooked({ wish, told, before });
        setReviewing(obstaclesOf(null, told).length === 0);
      },
      onError: () => setReviewing(false),
    });
  const refused = begin.error?.problem ?? null;
  useEffect(() => {
    if (looked && refused && isOutdated(refused)) {
      begin.reset();
      look(looked.wish, looked.told.preview);
    }
  });
  return {
    reviewing,
    looked,
    problem: error?.problem ?? refused,
    isLooking: isPending,
    isBeginning: begin.isPending,
    look: (wish: Wish) => {
      begin.reset();
      look({ ...wish, key: key.of(wish) }, null);
    },
    create: () => {
      if (looked?.told.preview.digest) {
        begin.begin({ wish: looked.wish, confirm: looked.told.preview.digest });
      }
    },
    back: () => setReviewing(false),
  };
}

export type Review = ReturnType<typeof useReview>;

/** What is in the way of a request: what a problem says of its fields, or what the dry run found. */
export function obstaclesOf(problem: ProblemBody | null, told: Previewed | undefined): Complaint[] {
  if (problem) {
    return complaintsOf(problem);
  }
  return complaintsIn(told?.findings ?? []);
}
