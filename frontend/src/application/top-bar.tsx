import TopNavigation, { type TopNavigationProps } from '@cloudscape-design/components/top-navigation';
import { useNavigate } from 'react-router';
import { useDeployment } from '../api/api-context';
import { usePerson } from '../sign-in/sign-in-context';
import { chooseColorMode, useColorMode } from './color-mode';

/** The bar at the top: where one is, how it looks, who one is. */
export function TopBar() {
  const navigate = useNavigate();
  const mode = useColorMode();
  const { region, release } = useDeployment().configuration;
  const dark = mode === 'dark';
  const utilities: TopNavigationProps.Utility[] = [
    {
      type: 'button',
      text: region,
      ariaLabel: `Region ${region}, release ${release}`,
      title: `Release ${release}`,
      disableUtilityCollapse: true,
    },
    {
      type: 'button',
      iconSvg: <ModeIcon />,
      text: dark ? 'Light mode' : 'Dark mode',
      onClick: () => chooseColorMode(dark ? 'light' : 'dark'),
    },
    ...usePersonMenu(),
  ];
  return (
    <div id="top-bar" style={{ position: 'sticky', insetBlockStart: 0, zIndex: 1002 }}>
      <TopNavigation
        identity={{
          title: 'HyperPod InstantStart',
          href: '/',
          onFollow: (event) => {
            event.preventDefault();
            void navigate('/');
          },
        }}
        utilities={utilities}
      />
    </div>
  );
}

function usePersonMenu(): TopNavigationProps.Utility[] {
  const { name, signOut } = usePerson();
  if (signOut === null) {
    return [];
  }
  return [
    {
      type: 'menu-dropdown',
      iconName: 'user-profile',
      text: name,
      items: [{ id: 'sign-out', text: 'Sign out' }],
      onItemClick: signOut,
    },
  ];
}

function ModeIcon() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d="M13 10A6 6 0 1 1 6 3a5 5 0 0 0 7 7z" />
    </svg>
  );
}
