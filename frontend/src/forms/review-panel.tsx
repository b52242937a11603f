import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { Finding, Preview } from '../api/schema';
import { Findings } from '../components/findings';
import { perHour } from '../components/money';
import { Outdated } from '../components/outdated';
import { PreviewTable } from '../components/preview-table';
import { ProblemAlert } from '../components/problem-alert';
import { Time } from '../components/time';
import { isMadeUpTag, partedByChecked } from './complaints';
import { Unchecked } from './unchecked';
import { useFocusOn } from './use-focus';
import type { Review } from './use-review';

interface Props {
  review: Review;
  /** What the button says: what will be done. */
  action: string;
  /** Leads to the field of a finding; null where the form shows none. */
  wayBack: (finding: Finding) => (() => void) | null;
  onBack: () => void;
}

/** What a request would come to, before it is begun: findings, changes, cost, and what was not checked. */
export function ReviewPanel({ review, action, wayBack, onBack }: Props) {
  const { looked, problem } = review;
  const place = useFocusOn(problem ?? looked);
  if (looked === null) {
    return null;
  }
  const { findings, preview } = looked.told;
  const { checked, unchecked } = partedByChecked(findings);
  const madeUp = findings.some(isMadeUpTag);
  return (
    <section ref={place} tabIndex={-1} className="news" aria-label="Review">
      <SpaceBetween size="l">
        {looked.before && <Outdated before={looked.before} after={preview} />}
        {problem && <ProblemAlert problem={problem} />}
        <Container header={<Header variant="h2">Review</Header>}>
          <SpaceBetween size="l">
            <Summary preview={preview} madeUp={madeUp} />
            <Found findings={checked.filter((finding) => !isMadeUpTag(finding))} wayBack={wayBack} />
            {unchecked.length > 0 ? (
              <Unchecked findings={unchecked} />
            ) : (
              <Alert type="success">All checks came to an end.</Alert>
            )}
            <PreviewTable preview={preview} />
          </SpaceBetween>
        </Container>
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button disabled={review.isBeginning} onClick={onBack}>
              Back to the form
            </Button>
            <Button
              variant="primary"
              disabled={!preview.digest}
              loading={review.isBeginning || review.isLooking}
              onClick={review.create}
            >
              {action}
            </Button>
          </SpaceBetween>
        </Box>
      </SpaceBetween>
    </section>
  );
}

function Found({ findings, wayBack }: { findings: readonly Finding[]; wayBack: Props['wayBack'] }) {
  if (findings.length === 0) {
    return null;
  }
  return (
    <Findings
      findings={findings}
      action={(finding) => {
        const back = wayBack(finding);
        return back && <Button onClick={back}>Change</Button>;
      }}
    />
  );
}

function Summary({ preview, madeUp }: { preview: Preview; madeUp: boolean }) {
  const { cluster_tag, cost, expires_at } = preview;
  return (
    <KeyValuePairs
      columns={3}
      items={[
        {
          label: 'Cluster',
          value: (
            <>
              <span className="value">{cluster_tag}</span>
              {madeUp && ', a tag made up for it'}
            </>
          ),
        },
        ...(cost ? [{ label: 'Cost', value: perHour(cost) }] : []),
        { label: 'Can be confirmed until', value: <Time at={expires_at} /> },
      ]}
    />
  );
}
