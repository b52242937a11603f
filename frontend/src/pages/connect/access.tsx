import Checkbox from '@cloudscape-design/components/checkbox';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Multiselect from '@cloudscape-design/components/multiselect';
import RadioGroup from '@cloudscape-design/components/radio-group';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { Configuration } from '../../api/configuration';
import { CopyableCommand } from '../../components/copyable-command';
import { sentence } from '../../components/words';
import { addressOf, type Choices, type DoorName } from './filling';

interface Props {
  configuration: Configuration;
  doors: readonly DoorName[];
  door: DoorName;
  choices: Choices;
  toolsets: readonly string[];
  onChoose: (name: 'door' | 'toolsets' | 'readonly', value: string | null) => void;
}

const DOORS: Readonly<Record<DoorName, { label: string; description: string }>> = {
  open: {
    label: 'Without signing in',
    description: 'This is one machine’s own host: everybody on it may do everything.',
  },
  sign_in: {
    label: 'A person signs in',
    description: 'The client opens a browser at the first call. The agent may do what the person’s groups may.',
  },
  signed: {
    label: 'Requests are signed with AWS credentials',
    description: 'For roles that the deployment names as agents’. A proxy on the machine signs; it runs with uvx.',
  },
};

const TOOLSETS: Readonly<Record<string, string>> = {
  default: 'What is usually needed',
  all: 'Every tool',
  legacy: 'The names of AWS’s HyperPod InstantStart',
};

/** How an agent gets in, and what it is offered: both make the address. */
export function Access({ configuration, doors, door, choices, toolsets, onChoose }: Props) {
  return (
    <Container header={<Header>Access</Header>}>
      <SpaceBetween size="l">
        <FormField label="How it gets in">
          <RadioGroup
            value={door}
            items={doors.map((name) => ({ value: name, ...DOORS[name] }))}
            onChange={({ detail }) => onChoose('door', detail.value)}
          />
        </FormField>
        <Toolsets chosen={choices.toolsets} toolsets={toolsets} onChoose={(names) => onChoose('toolsets', names)} />
        <Checkbox
          checked={choices.readonly}
          description="It is offered reading tools alone, and nothing else is answered."
          onChange={({ detail }) => onChoose('readonly', detail.checked ? '' : null)}
        >
          Only look
        </Checkbox>
        <FormField label="Address">
          <CopyableCommand command={addressOf(configuration, door, choices)} label="the address" />
        </FormField>
      </SpaceBetween>
    </Container>
  );
}

interface ToolsetsProps {
  chosen: readonly string[];
  toolsets: readonly string[];
  onChoose: (names: string | null) => void;
}

function Toolsets({ chosen, toolsets, onChoose }: ToolsetsProps) {
  const options = toolsets.map((name) => ({ value: name, label: sentence(name), description: TOOLSETS[name] }));
  return (
    <FormField
      label="Toolsets"
      description="None chosen, it is offered what is usually needed. Fewer tools leave an agent more room to think."
    >
      <Multiselect
        options={options}
        selectedOptions={options.filter(({ value }) => chosen.includes(value))}
        placeholder="What is usually needed"
        onChange={({ detail }) => onChoose(detail.selectedOptions.map(({ value }) => value).join(',') || null)}
      />
    </FormField>
  );
}
