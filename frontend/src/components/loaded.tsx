import Box from '@cloudscape-design/components/box';
import Spinner from '@cloudscape-design/components/spinner';
import { type ReactNode, Suspense } from 'react';

/** What is loaded when somebody goes there, with what is seen until it is. */
export function Loaded({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Suspense
      fallback={
        <Box textAlign="center" padding="l">
          <Spinner /> Loading {name.toLowerCase()}
        </Box>
      }
    >
      {children}
    </Suspense>
  );
}
