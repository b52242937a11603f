import type { ReactNode } from 'react';

/** What is said of something, and beneath it what helps. */
export function WithRemedy({ children, remedy }: { children: ReactNode; remedy?: string | null }) {
  return (
    <>
      <div className="value">{children}</div>
      {remedy && (
        <div className="value">
          <strong>What helps:</strong> {remedy}
        </div>
      )}
    </>
  );
}
