import ExpandableSection, { type ExpandableSectionProps } from '@cloudscape-design/components/expandable-section';
import { type ReactNode, useEffect, useState } from 'react';
import { useServerErrors } from '../components/server-field-errors';
import { useReveal } from './reveal';

interface Props {
  title: string;
  description?: string;
  variant?: ExpandableSectionProps.Variant;
  /** The fields inside, by the beginnings of their names: what is said of one of them opens the section. */
  fields: readonly string[];
  onOpen?: () => void;
  children: ReactNode;
}

/** Settings that most people leave alone: closed until somebody opens it, or the server says something of them. */
export function Section({ title, description, variant = 'default', fields, onOpen, children }: Props) {
  const [open, setOpen] = useState(false);
  const told = useServerErrors();
  const { asked } = useReveal();
  const isInside = (field: string) => fields.some((each) => field === each || field.startsWith(`${each}.`));
  const complains = Object.keys(told).some(isInside);
  const leadsHere = asked !== null && isInside(asked.field) ? asked.time : 0;
  useEffect(() => {
    if (leadsHere > 0 || complains) {
      setOpen(true);
    }
  }, [leadsHere, complains]);
  useEffect(() => {
    if (open) {
      onOpen?.();
    }
  }, [open, onOpen]);
  return (
    <ExpandableSection
      variant={variant}
      headerText={title}
      headerDescription={description}
      expanded={open}
      onChange={({ detail }) => setOpen(detail.expanded)}
    >
      {children}
    </ExpandableSection>
  );
}
