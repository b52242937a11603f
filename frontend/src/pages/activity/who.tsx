import Badge, { type BadgeProps } from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import type { Actor } from '../../api/schema';
import { channelOf } from './words';

const COLORS: Readonly<Record<string, BadgeProps['color']>> = { console: 'grey', rest: 'blue', agent: 'green' };

/** Through which door somebody came, and with which program. */
export function Door({ actor: { channel, client } }: { actor: Actor }) {
  return (
    <>
      <Badge color={COLORS[channel] ?? 'grey'}>{channelOf(channel)}</Badge>
      {client && (
        <Box fontSize="body-s" color="text-body-secondary">
          <span className="value">{client}</span>
        </Box>
      )}
    </>
  );
}
