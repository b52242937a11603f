import type { ClusterProps } from '../tab-list';
import { EventsTable } from './events-table';

/** What happened to a cluster, as AWS told. */
export default function EventsTab({ cluster: { tag } }: ClusterProps) {
  return <EventsTable tag={tag} title="Events" />;
}
