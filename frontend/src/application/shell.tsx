import AppLayout from '@cloudscape-design/components/app-layout';
import Flashbar from '@cloudscape-design/components/flashbar';
import SideNavigation from '@cloudscape-design/components/side-navigation';
import { Outlet, ScrollRestoration, useLocation, useNavigate } from 'react-router';
import { leadsAway } from '../components/page-link';
import { navigation } from './navigation';
import { useNotifications } from './notifications';
import { TopBar } from './top-bar';
import { useLiveNotice } from './use-live-notice';
import { useNavigationOpen } from './use-navigation-open';

/** What stands around every page. */
export function Shell() {
  const notices = useLiveNotice();
  const { items } = useNotifications();
  const [open, setOpen] = useNavigationOpen();
  return (
    <>
      <ScrollRestoration />
      <TopBar />
      <AppLayout
        headerSelector="#top-bar"
        navigation={<Navigation />}
        navigationOpen={open}
        onNavigationChange={({ detail }) => setOpen(detail.open)}
        toolsHide
        content={<Outlet />}
        notifications={<Flashbar items={[...notices, ...items]} />}
        ariaLabels={{
          navigation: 'Pages',
          navigationClose: 'Close the list of pages',
          navigationToggle: 'Open the list of pages',
          notifications: 'Notifications',
        }}
      />
    </>
  );
}

function Navigation() {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return (
    <SideNavigation
      activeHref={`/${pathname.split('/')[1]}`}
      header={{ text: 'Control plane', href: '/' }}
      items={navigation}
      onFollow={(event) => leadsAway(event, navigate)}
    />
  );
}
