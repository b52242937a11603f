/** What helps against what went wrong; nothing where nobody says. */
export function WhatHelps({ remedy }: { remedy: string | null | undefined }) {
  return remedy ? (
    <div className="value">
      <strong>What helps:</strong> {remedy}
    </div>
  ) : null;
}
