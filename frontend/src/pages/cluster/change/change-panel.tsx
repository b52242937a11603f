import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Wish } from '../../../api/wishes';
import { ConfirmByName } from '../../../components/confirm-by-name';
import { ServerFieldErrors } from '../../../components/server-field-errors';
import { isIrreversible } from './preview-difference';
import { Seen } from './seen';
import { StandingInTheWay } from './standing-in-the-way';
import { Summing } from './summing';
import { useBegun } from './use-begun';
import { useChange } from './use-change';

interface Props {
  tag: string;
  title: string;
  description: ReactNode;
  action: string;
  wanted: Wish;
  fields?: readonly string[];
  /** Whether the tag has to be typed, whatever the preview says. */
  typed?: boolean;
  children?: ReactNode;
}

/** A change of a whole cluster: its options, what it would come to, and its beginning; the tag is typed to destroy. */
export function ChangePanel({ tag, title, description, action, wanted, fields = [], typed = false, children }: Props) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const change = useChange({ wanted, auto: true, onBegun: useBegun() });
  const { previewed, error, isBeginning, begin } = change;
  const asksForName = typed || (previewed !== undefined && isIrreversible(previewed.preview));
  return (
    <Container header={<Header description={description}>{title}</Header>}>
      <SpaceBetween size="l">
        <ServerFieldErrors
          fields={fields}
          problem={fields.length > 0 ? error?.problem : null}
          findings={previewed?.findings}
        >
          {children}
        </ServerFieldErrors>
        {fields.length === 0 && error && <StandingInTheWay problem={error.problem} />}
        <Seen change={change} />
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={() => void navigate(`/clusters/${encodeURIComponent(tag)}`)}>
              Leave it
            </Button>
            <Button onClick={change.preview} loading={change.isPreviewing}>
              Look again
            </Button>
            <Button
              variant="primary"
              disabled={!previewed?.preview.digest}
              disabledReason="Something stands in the way."
              loading={isBeginning}
              onClick={() => (asksForName ? setAsking(true) : begin())}
            >
              {action}
            </Button>
          </SpaceBetween>
        </Box>
        {asking && previewed && (
          <ConfirmByName
            title={`${title}?`}
            name={tag}
            action={action}
            onConfirm={() => {
              setAsking(false);
              begin();
            }}
            onDismiss={() => setAsking(false)}
          >
            <Summing preview={previewed.preview} />
          </ConfirmByName>
        )}
      </SpaceBetween>
    </Container>
  );
}
