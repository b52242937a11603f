import Box from '@cloudscape-design/components/box';
import Spinner from '@cloudscape-design/components/spinner';
import Tabs from '@cloudscape-design/components/tabs';
import { type ReactNode, Suspense } from 'react';
import { useNavigate } from 'react-router';

export interface PageTab {
  id: string;
  label: string;
  /** Its address. */
  href: string;
  content: ReactNode;
}

/** The parts of a page, each with an address of its own; one is made when somebody goes there. */
export function PageTabs({ tabs, active }: { tabs: readonly PageTab[]; active: string | undefined }) {
  const navigate = useNavigate();
  const shown = tabs.find(({ id }) => id === active) ?? tabs[0];
  return (
    <Tabs
      activeTabId={shown?.id}
      onChange={({ detail }) => void navigate(detail.activeTabHref ?? '')}
      tabs={tabs.map((tab) => ({ ...tab, content: <Suspense fallback={<Loading />}>{tab.content}</Suspense> }))}
    />
  );
}

function Loading() {
  return (
    <Box textAlign="center" padding="l">
      <Spinner /> Loading
    </Box>
  );
}
