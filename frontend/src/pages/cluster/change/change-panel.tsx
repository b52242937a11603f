import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { useCluster } from '../../../api/clusters';
import type { Wish } from '../../../api/wishes';
import { ConfirmByName } from '../../../components/confirm-by-name';
import { ChangeFields } from './change-fields';
import { isIrreversible } from './preview-parts';
import { Seen } from './seen';
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
  /** Whether it takes things away: what is kept stands apart, and the tag has to be typed whatever the preview says. */
  destroys?: boolean;
  children?: ReactNode;
}

/** A change of a whole cluster: its options, what it would come to, and its beginning; the tag is typed to destroy. */
export function ChangePanel({
  tag,
  title,
  description,
  action,
  wanted,
  fields = [],
  destroys = false,
  children,
}: Props) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const inTheWay = useCluster(tag).data?.active_operation_ids.join(' ');
  const change = useChange({ wanted, auto: true, inTheWay, onBegun: useBegun() });
  const { previewed, isBeginning, begin, isRefused } = change;
  const asksForName = destroys || (previewed !== undefined && isIrreversible(previewed.preview));
  return (
    <Container header={<Header description={description}>{title}</Header>}>
      <SpaceBetween size="l">
        <ChangeFields change={change} fields={fields} takesFocus={isRefused}>
          {children}
        </ChangeFields>
        <Seen change={change} parted={destroys} takesFocus={isRefused} />
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={() => void navigate(`/clusters/${encodeURIComponent(tag)}`)}>
              Leave it
            </Button>
            <Button onClick={change.preview} loading={change.isPreviewing} disabled={isBeginning}>
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
