import Button from '@cloudscape-design/components/button';
import Form from '@cloudscape-design/components/form';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { fieldOf } from '../api/problems';
import type { Wish } from '../api/wishes';
import { ServerFieldErrors } from '../components/server-field-errors';
import { asFindings } from './complaints';
import { ErrorSummary } from './error-summary';
import { useLeaving } from './leaving';
import { placeName } from './place-name';
import { RevealProvider, useReveal } from './reveal';
import { ReviewPanel } from './review-panel';
import { obstaclesOf, useReview } from './use-review';

interface Props {
  /** What the form asks for as it stands: it is previewed, then begun. */
  wish: () => Wish;
  /** The fields that the form shows, by the API's names. */
  fields: readonly string[];
  /** The groups of the form, by whose names fields are told apart. */
  groups?: readonly { id: number; name: string }[];
  isTouched: boolean;
  /** What the last button says: what will be done. */
  action: string;
  /** What the first button says: that it is looked at first. */
  look?: string;
  /** Where Cancel leads. */
  from: string;
  children: ReactNode;
}

const NONE: readonly { id: number; name: string }[] = [];

/** A form whose request is looked at before it is begun; then the page goes to the operation. */
export function FormPage(props: Props) {
  return (
    <RevealProvider>
      <Reviewed {...props} />
    </RevealProvider>
  );
}

function Reviewed({ wish, fields, groups = NONE, isTouched, action, look = 'Review', from, children }: Props) {
  const navigate = useNavigate();
  const { reveal } = useReveal();
  const { leave, question } = useLeaving(isTouched);
  const review = useReview(({ operation_id }) => {
    leave();
    void navigate(`/operations/${operation_id}`);
  });
  const { problem, looked } = review;
  const obstacles = useMemo(() => obstaclesOf(problem, looked?.told), [problem, looked]);
  const [judged, setJudged] = useState({ fields, groups });
  // Complaints count groups by their places, which others have once one is gone.
  const isAsJudged = judged.groups.every((group, index) => group.id === groups[index]?.id);
  const atFields = useMemo(() => (isAsJudged ? asFindings(obstacles) : []), [isAsJudged, obstacles]);
  const backTo = (told: string | null | undefined) => {
    const field = fieldOf(told ?? '', fields);
    return field === undefined
      ? null
      : () => {
          review.back();
          reveal(field);
        };
  };
  return (
    <ServerFieldErrors fields={judged.fields} findings={atFields}>
      {question}
      {review.reviewing && <ReviewPanel review={review} action={action} wayBack={({ field }) => backTo(field)} />}
      {/* What is typed, and which section is open, stays while the review is looked at. */}
      <div hidden={review.reviewing}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setJudged({ fields, groups });
            review.look(wish());
          }}
        >
          <Form
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <Button formAction="none" variant="link" onClick={() => void navigate(from)}>
                  Cancel
                </Button>
                <Button variant="primary" loading={review.isLooking}>
                  {look}
                </Button>
              </SpaceBetween>
            }
          >
            <SpaceBetween size="l">
              {!review.reviewing && (
                <ErrorSummary
                  problem={problem}
                  obstacles={obstacles}
                  fields={fields}
                  news={problem ?? looked}
                  name={(field) => placeName(field, groups)}
                />
              )}
              {children}
            </SpaceBetween>
          </Form>
        </form>
      </div>
    </ServerFieldErrors>
  );
}
