import type { SideNavigationProps } from '@cloudscape-design/components/side-navigation';

/** The side navigation: a page that people look for by itself has its line here, under the address of its route. */
export const navigation: SideNavigationProps.Item[] = [
  { type: 'link', text: 'Home', href: '/' },
  { type: 'link', text: 'Create a cluster', href: '/create' },
  { type: 'link', text: 'Import a cluster', href: '/import' },
  { type: 'link', text: 'Activity', href: '/activity' },
  { type: 'link', text: 'Catalog', href: '/catalog' },
  { type: 'link', text: 'Connect an agent', href: '/connect' },
];
