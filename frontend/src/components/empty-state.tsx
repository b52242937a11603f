import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';

interface Props {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

/** What stands where there is nothing yet: why, and what can be done. */
export function EmptyState({ title, children, action }: Props) {
  return (
    <Box textAlign="center" color="inherit" padding={{ vertical: 'l' }}>
      <SpaceBetween size="s">
        <Box variant="strong" color="inherit">
          {title}
        </Box>
        {children && (
          <Box variant="p" color="text-body-secondary">
            {children}
          </Box>
        )}
        {action}
      </SpaceBetween>
    </Box>
  );
}
