import Button, { type ButtonProps } from '@cloudscape-design/components/button';
import Form from '@cloudscape-design/components/form';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
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
  /** Where in the form a field of the request stands, when that is not its name; made as the request is. */
  inForm?: (field: string) => string;
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
const BY_NAME = (field: string) => field;

/** A form whose request is looked at before it is begun; then the page goes to the operation. */
export function FormPage(props: Props) {
  return (
    <RevealProvider>
      <Reviewed {...props} />
    </RevealProvider>
  );
}

function Reviewed(props: Props) {
  const { wish, fields, inForm = BY_NAME, groups = NONE, isTouched, action, look = 'Review', from, children } = props;
  const navigate = useNavigate();
  const { reveal } = useReveal();
  const { leave, question } = useLeaving(isTouched);
  const review = useReview(({ operation_id }) => {
    leave();
    void navigate(`/operations/${operation_id}`);
  });
  const { problem, looked } = review;
  const [judged, setJudged] = useState({ fields, groups, inForm });
  const obstacles = useMemo(
    () => obstaclesOf(problem, looked?.told).map((each) => ({ ...each, field: judged.inForm(each.field) })),
    [problem, looked, judged],
  );
  const [timesBack, setTimesBack] = useState(0);
  const button = useRef<ButtonProps.Ref>(null);
  useEffect(() => {
    if (timesBack > 0) {
      button.current?.focus();
    }
  }, [timesBack]);
  // Complaints count groups by their places, which others have once one is gone.
  const isAsJudged = judged.groups.every((group, index) => group.id === groups[index]?.id);
  const atFields = useMemo(() => (isAsJudged ? asFindings(obstacles) : []), [isAsJudged, obstacles]);
  const backTo = (told: string | null | undefined) => {
    const field = fieldOf(judged.inForm(told ?? ''), fields);
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
      {review.reviewing && (
        <ReviewPanel
          review={review}
          action={action}
          wayBack={({ field }) => backTo(field)}
          onBack={() => {
            review.back();
            setTimesBack(timesBack + 1);
          }}
        />
      )}
      {/* What is typed, and which section is open, stays while the review is looked at. */}
      <div hidden={review.reviewing}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setJudged({ fields, groups, inForm });
            review.look(wish());
          }}
        >
          <Form
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <Button formAction="none" variant="link" onClick={() => void navigate(from)}>
                  Cancel
                </Button>
                <Button ref={button} variant="primary" loading={review.isLooking}>
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
