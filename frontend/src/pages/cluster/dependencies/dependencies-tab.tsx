import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { ComponentsTable } from '../overview/components-table';
import { SideOfCluster } from '../side-of-cluster';
import type { ClusterProps } from '../tab-list';
import { ConfigureForm } from './configure-form';
import { LastConfigured } from './last-configured';

const CONDITION = 'DependenciesReady';

/** The add-ons that HyperPod and the storage need, and how they came about. */
export default function DependenciesTab({ cluster }: ClusterProps) {
  const [configuring, setConfiguring] = useState(false);
  const stands = cluster.conditions.some(({ type, status }) => type === CONDITION && status === 'True');
  return (
    <SpaceBetween size="l">
      <Container
        header={
          <Header
            description={<SideOfCluster cluster={cluster} type={CONDITION} />}
            actions={
              <Button variant={stands ? 'normal' : 'primary'} onClick={() => setConfiguring(true)}>
                {stands ? 'Configure again' : 'Configure'}
              </Button>
            }
          >
            Dependencies
          </Header>
        }
      >
        <LastConfigured tag={cluster.tag} />
      </Container>
      {cluster.detected && <ComponentsTable components={cluster.detected.components} />}
      {configuring && <ConfigureForm tag={cluster.tag} onDismiss={() => setConfiguring(false)} />}
    </SpaceBetween>
  );
}
