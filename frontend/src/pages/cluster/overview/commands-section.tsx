import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { CopyableCommand } from '../../../components/copyable-command';
import type { ClusterProps } from '../tab-list';
import { commandsOf } from './commands';

/** How to look at a cluster from a terminal. */
export function Commands({ cluster }: ClusterProps) {
  return (
    <Container header={<Header description="With credentials of your own.">Commands</Header>}>
      <SpaceBetween size="s">
        {commandsOf(cluster).map(({ label, command }) => (
          <div key={label}>
            <Box variant="awsui-key-label">{label}</Box>
            <CopyableCommand command={command} label={label} />
          </div>
        ))}
      </SpaceBetween>
    </Container>
  );
}
