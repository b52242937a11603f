import type { ReactNode } from 'react';

/** What is said of something, and beneath it what helps. */
export function WithRemedy({ children, remedy }: { children: ReactNode; remedy?: string | null }) {
  return (
    <>
      <div className="value">{children}</div>
      <Remedy remedy={remedy} />
    </>
  );
}

/** What helps, where something does. */
export function Remedy({ remedy }: { remedy: string | null | undefined }) {
  return remedy ? (
    <div className="value">
      <strong>What helps:</strong> {remedy}
    </div>
  ) : null;
}
