import SpaceBetween from '@cloudscape-design/components/space-between';
import { useDeployment } from '../../api/api-context';
import { PageFrame } from '../../application/page-frame';
import { Access } from './access';
import { Clients } from './clients';
import { doorsOf, type Templates, toolsOf } from './filling';
import { Skills } from './skills';
import told from './templates.json';
import { Tools } from './tools';
import { useChoices } from './use-choices';

const templates: Templates = told;

/** How an agent is connected to this deployment, and what it may do then. */
export function Component() {
  const { configuration } = useDeployment();
  const doors = doorsOf(configuration);
  const { door, choices, choose } = useChoices(doors, Object.keys(templates.toolsets));
  return (
    <PageFrame
      title="Connect an agent"
      above={[]}
      description="An agent creates, looks after and deletes clusters through the same checks as this console."
    >
      <SpaceBetween size="l">
        <Access
          configuration={configuration}
          doors={doors}
          door={door}
          choices={choices}
          toolsets={Object.keys(templates.toolsets)}
          onChoose={choose}
        />
        <Clients configuration={configuration} templates={templates} door={door} choices={choices} />
        <Tools tools={toolsOf(templates, choices)} />
        <Skills skills={templates.skills} />
      </SpaceBetween>
    </PageFrame>
  );
}
