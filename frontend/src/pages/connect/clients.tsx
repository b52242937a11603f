import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import type { ReactNode } from 'react';
import type { Configuration } from '../../api/configuration';
import { CopyableCommand } from '../../components/copyable-command';
import { type Choices, type DoorName, filled, type Templates } from './filling';

interface Props {
  configuration: Configuration;
  templates: Templates;
  door: DoorName;
  choices: Choices;
}

/** The configurations of clients, to be copied to where one works. */
export function Clients({ configuration, templates, door, choices }: Props) {
  const { files, inspection } = templates.doors[door];
  const text = (template: string) => filled(template, configuration, choices);
  const written = (isWanted: (path: string) => boolean) =>
    Object.entries(files)
      .filter(([path]) => isWanted(path))
      .map(([path, template]) => <WrittenFile key={path} path={path} content={text(template)} />);
  const isCommon = (path: string) => path === '.mcp.json';
  return (
    <Container header={<Header description="Each file goes to the folder where you work.">Configuration</Header>}>
      <Tabs
        tabs={[
          {
            id: 'claude-code',
            label: 'Claude Code',
            content: (
              <Steps>
                {written((path) => isCommon(path) || path.startsWith('.claude/'))}
                <Start command={`claude --agent ${templates.agent}`} />
                {door === 'sign_in' && <Box>Then sign in: type /mcp and choose {templates.server}.</Box>}
              </Steps>
            ),
          },
          {
            id: 'kiro',
            label: 'Kiro CLI',
            content: (
              <Steps>
                {door === 'sign_in' && <KiroSignsInUntried />}
                {written((path) => path.startsWith('.kiro/'))}
                <Start command={`kiro-cli chat --agent ${templates.agent}`} />
              </Steps>
            ),
          },
          {
            id: 'others',
            label: 'Other clients',
            content: (
              <Steps>
                <Box>For every client that reads a file like this one. It asks before each call by its own rules.</Box>
                {written(isCommon)}
              </Steps>
            ),
          },
          {
            id: 'inspector',
            label: 'MCP Inspector',
            content: <Inspector command={text(inspection)} door={door} />,
          },
        ]}
      />
    </Container>
  );
}

function Steps({ children }: { children: ReactNode }) {
  return <SpaceBetween size="m">{children}</SpaceBetween>;
}

function WrittenFile({ path, content }: { path: string; content: string }) {
  return (
    <div data-file={path}>
      <Box variant="h3" padding={{ bottom: 'xxs' }}>
        {path}
      </Box>
      <div className="file">
        <CopyableCommand command={content} label={path} />
      </div>
    </div>
  );
}

function Start({ command }: { command: string }) {
  return (
    <div>
      <Box variant="h3" padding={{ bottom: 'xxs' }}>
        Start it there
      </Box>
      <CopyableCommand command={command} label="the command that starts it" />
    </div>
  );
}

function KiroSignsInUntried() {
  return (
    <Alert type="warning" header="Nobody has seen Kiro sign in here">
      Its documentation names these fields and not which callback it makes of them. If it is refused, connect it by
      requests that are signed with AWS credentials.
    </Alert>
  );
}

function Inspector({ command, door }: { command: string; door: DoorName }) {
  return (
    <Steps>
      {door === 'sign_in' && <Box>It opens a browser, where you sign in.</Box>}
      {door === 'signed' && <Box>It reads .mcp.json of the folder, which stands under Other clients.</Box>}
      <CopyableCommand command={command} label="the command that lists the tools" />
    </Steps>
  );
}
