import BreadcrumbGroup, { type BreadcrumbGroupProps } from '@cloudscape-design/components/breadcrumb-group';
import ContentLayout from '@cloudscape-design/components/content-layout';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useEffect } from 'react';
import { useNavigate } from 'react-router';
import { leadsAway } from '../components/page-link';
import { useArrival } from './use-arrival';

interface Props {
  title: string;
  description?: ReactNode;
  /** Where the page hangs below Home: the pages above it, by name and address. */
  above?: readonly BreadcrumbGroupProps.Item[];
  actions?: ReactNode;
  children: ReactNode;
}

const PRODUCT = 'HyperPod InstantStart';

/** The frame of every page: title, breadcrumbs, actions. */
export function PageFrame({ title, description, above, actions, children }: Props) {
  const navigate = useNavigate();
  const heading = useArrival(title);
  useEffect(() => {
    document.title = title === 'Home' ? PRODUCT : `${title} · ${PRODUCT}`;
  }, [title]);
  const header = (
    <Header variant="h1" description={description} actions={actions}>
      <bdi ref={heading}>{title}</bdi>
    </Header>
  );
  return (
    <ContentLayout
      header={header}
      breadcrumbs={
        above && (
          <BreadcrumbGroup
            items={[{ text: 'Home', href: '/' }, ...above, { text: title, href: '' }]}
            onFollow={(event) => leadsAway(event, navigate)}
          />
        )
      }
    >
      <SpaceBetween size="l">{children}</SpaceBetween>
    </ContentLayout>
  );
}
