import Box from '@cloudscape-design/components/box';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { Operation } from '../api/schema';
import { OperationStage } from './operation-stage';
import { type PhaseOf, phasesOf } from './progress';
import { StatusBadge } from './status-badge';
import { sentence } from './words';

const OPEN: ReadonlySet<string> = new Set(['RUNNING', 'FAILED', 'CANCELLED']);

/** The phases of an operation, those open in which something happens. */
export function OperationPhases({ operation }: { operation: Operation }) {
  return (
    <SpaceBetween size="s">
      {phasesOf(operation).map((phase) => (
        <PhaseSection key={phase.name} phase={phase} />
      ))}
    </SpaceBetween>
  );
}

function PhaseSection({ phase }: { phase: PhaseOf }) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  return (
    <ExpandableSection
      headerText={
        <span className="stage-head">
          {sentence(phase.name)}
          <Box variant="span" fontWeight="normal">
            <StatusBadge status={phase.status} />
          </Box>
        </span>
      }
      expanded={chosen ?? OPEN.has(phase.status)}
      onChange={({ detail }) => setChosen(detail.expanded)}
    >
      <Box padding={{ left: 'l' }}>
        <ol className="stages">
          {phase.stages.map((stage) => (
            <OperationStage key={stage.number} stage={stage} />
          ))}
        </ol>
      </Box>
    </ExpandableSection>
  );
}
