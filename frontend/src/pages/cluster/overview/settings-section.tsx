import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import { useState } from 'react';
import type { ClusterProps } from '../tab-list';
import { SettingsForm } from './settings-form';

/** Who may change a cluster, and the company's tags on what is made for it. */
export function SettingsSection({ cluster }: ClusterProps) {
  const [editing, setEditing] = useState(false);
  const { owner_groups = [], company_tags = {} } = cluster.spec;
  const tags = Object.entries(company_tags);
  return (
    <Container
      header={
        <Header
          actions={
            <Button ariaLabel="Edit owners and tags" onClick={() => setEditing(true)}>
              Edit
            </Button>
          }
        >
          Owners and tags
        </Header>
      }
    >
      <KeyValuePairs
        columns={2}
        items={[
          {
            label: 'Owner groups',
            value: <Lines lines={owner_groups} none="Everybody who may operate clusters" />,
          },
          {
            label: 'Company tags',
            value: <Lines lines={tags.map(([key, value]) => `${key} = ${value}`)} none="None" />,
          },
        ]}
      />
      {editing && <SettingsForm cluster={cluster} onDismiss={() => setEditing(false)} />}
    </Container>
  );
}

function Lines({ lines, none }: { lines: readonly string[]; none: string }) {
  return lines.length === 0
    ? none
    : lines.map((line) => (
        <div key={line} className="value">
          {line}
        </div>
      ));
}
