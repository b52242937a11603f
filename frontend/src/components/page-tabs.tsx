import Button from '@cloudscape-design/components/button';
import Tabs from '@cloudscape-design/components/tabs';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { EmptyState } from './empty-state';
import { Loaded } from './loaded';

export interface PageTab {
  id: string;
  label: string;
  /** Its address. */
  href: string;
  content: ReactNode;
}

interface Props {
  tabs: readonly PageTab[];
  /** The tab that the address of the page names; the first one where it names none. */
  active: string | undefined;
  /** What the tabs are parts of. */
  label: string;
}

/** The parts of a page, each with an address of its own; one is made when somebody goes there. */
export function PageTabs({ tabs, active = tabs[0]?.id, label }: Props) {
  const navigate = useNavigate();
  if (!tabs.some(({ id }) => id === active)) {
    return <NoSuchTab name={active} first={tabs[0]} />;
  }
  return (
    <Tabs
      activeTabId={active}
      onChange={({ detail }) => void navigate(detail.activeTabHref ?? '')}
      ariaLabel={label}
      i18nStrings={{ scrollLeftAriaLabel: 'Show earlier tabs', scrollRightAriaLabel: 'Show later tabs' }}
      tabs={tabs.map(({ content, ...tab }) => ({
        ...tab,
        content: tab.id === active && <Loaded name={tab.label}>{content}</Loaded>,
      }))}
    />
  );
}

function NoSuchTab({ name, first }: { name: string | undefined; first: PageTab | undefined }) {
  const navigate = useNavigate();
  return (
    <EmptyState
      title="This page has no such tab"
      action={first && <Button onClick={() => void navigate(first.href)}>Show {first.label.toLowerCase()}</Button>}
    >
      <span className="value">{name}</span> may be of a newer release, or misspelt.
    </EmptyState>
  );
}
