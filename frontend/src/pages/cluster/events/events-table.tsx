import ExpandableSection from '@cloudscape-design/components/expandable-section';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import { useState } from 'react';
import { useClusterEvents } from '../../../api/cluster-parts';
import type { ClusterEvent } from '../../../api/schema';
import { CopyableCommand } from '../../../components/copyable-command';
import { EmptyState } from '../../../components/empty-state';
import { PagedTable } from '../../../components/paged-table';
import { Time } from '../../../components/time';
import { sentence } from '../../../components/words';
import { EVERY_EVENT, isOpen, levelsOf, matching } from './events';
import { EventsFilter } from './events-filter';

const TYPES: Readonly<Record<string, StatusIndicatorProps.Type>> = { Error: 'error', Warn: 'warning', Info: 'info' };

const COLUMNS: TableProps.ColumnDefinition<ClusterEvent>[] = [
  { id: 'at', header: 'Time', cell: ({ at }) => <Time at={at} />, minWidth: 190 },
  {
    id: 'level',
    header: 'Level',
    cell: ({ level }) => <StatusIndicator type={TYPES[level] ?? 'info'}>{level}</StatusIndicator>,
    minWidth: 100,
  },
  { id: 'about', header: 'About', cell: (event) => <span className="value">{aboutOf(event)}</span>, minWidth: 150 },
  {
    id: 'message',
    header: 'What happened',
    cell: (event) => <Happened event={event} />,
    isRowHeader: true,
    minWidth: 320,
  },
];

interface Props {
  tag: string;
  title: string;
  /** Which events are shown at all. */
  only?: (event: ClusterEvent) => boolean;
}

const ALL = () => true;

/** What AWS told about a cluster, newest first, as it tells it. */
export function EventsTable({ tag, title, only = ALL }: Props) {
  const listing = useClusterEvents(tag);
  const [filter, setFilter] = useState(EVERY_EVENT);
  const shown = listing.items.filter(only);
  return (
    <PagedTable
      title={title}
      description={listing.hasMore ? 'Of the events read so far. Go to later pages to read on.' : undefined}
      listing={{ ...listing, items: matching(shown, filter) }}
      columns={COLUMNS}
      trackBy={({ event_id }) => event_id}
      filter={<EventsFilter filter={filter} levels={levelsOf(shown)} onChange={setFilter} />}
      empty={
        isOpen(filter) ? (
          <EmptyState title="No events">AWS has told nothing of this in the last 90 days.</EmptyState>
        ) : (
          <EmptyState title="No such events">No event that was read so far is like that.</EmptyState>
        )
      }
    />
  );
}

function Happened({ event }: { event: ClusterEvent }) {
  return (
    <>
      <div className="value">{event.message}</div>
      {event.cause && <div className="value">Cause: {event.cause}</div>}
      <ExpandableSection variant="inline" headerText="Raw">
        <CopyableCommand command={JSON.stringify(event, null, 2)} label="the raw event" />
      </ExpandableSection>
    </>
  );
}

function aboutOf({ resource_type, instance_group, instance_id }: ClusterEvent): string {
  return [sentence(resource_type), instance_group, instance_id].filter(Boolean).join(', ');
}
