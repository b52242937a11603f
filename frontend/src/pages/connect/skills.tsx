import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { CopyableCommand } from '../../components/copyable-command';
import { CopyableValue } from '../../components/copyable-value';
import type { Skill } from './filling';

/** What an agent is told beside its tools. */
export function Skills({ skills }: { skills: readonly Skill[] }) {
  const told = 'The server offers each as a prompt, and its files as resources: nothing has to be installed.';
  return (
    <Container header={<Header description={told}>Skills</Header>}>
      <SpaceBetween size="s">
        {skills.map(({ title, description, uri, text }) => (
          <ExpandableSection key={uri} headerText={title}>
            <SpaceBetween size="xs">
              <Box variant="p">{description}</Box>
              <Box>
                Resource <CopyableValue value={uri} />
              </Box>
              <CopyableCommand command={text} label={title} />
            </SpaceBetween>
          </ExpandableSection>
        ))}
      </SpaceBetween>
    </Container>
  );
}
