import Link, { type LinkProps } from '@cloudscape-design/components/link';
import type { ReactNode } from 'react';
import { type NavigateFunction, useNavigate } from 'react-router';

interface Props {
  to: string;
  children: ReactNode;
  variant?: LinkProps.Variant;
  fontSize?: LinkProps.FontSize;
}

/** A link to another page of the console. */
export function PageLink({ to, children, ...more }: Props) {
  const navigate = useNavigate();
  return (
    <Link {...more} href={to} onFollow={(event) => leadsAway(event, navigate)}>
      <bdi>{children}</bdi>
    </Link>
  );
}

interface Followed {
  preventDefault: () => void;
  detail: { href?: string; external?: boolean };
}

/** Follow a link of a component without loading the console anew. */
export function leadsAway(event: Followed, navigate: NavigateFunction): void {
  const { href, external } = event.detail;
  if (href !== undefined && external !== true) {
    event.preventDefault();
    void navigate(href);
  }
}
