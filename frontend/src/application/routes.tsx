import { createBrowserRouter, type RouteObject } from 'react-router';
import { HomePage } from '../pages/home/home-page';
import { PageFailure } from './page-failure';
import { Shell } from './shell';

/** A page is loaded when somebody goes there; its module exports it as `Component`. */
const pages: RouteObject[] = [
  { index: true, element: <HomePage /> },
  { path: 'clusters/:tag/:tab?', lazy: () => import('../pages/cluster/cluster-page') },
  { path: 'operations/:operationId', lazy: () => import('../pages/operation/operation-page') },
  { path: 'create', lazy: () => import('../pages/create/create-page') },
  { path: 'import', lazy: () => import('../pages/import/import-page') },
  { path: 'clusters/:tag/hyperpod/create', lazy: () => import('../pages/create-hyperpod/create-hyperpod-page') },
  { path: 'activity/:tab?', lazy: () => import('../pages/activity/activity-page') },
  { path: 'catalog/:tab?', lazy: () => import('../pages/catalog/catalog-page') },
  { path: 'connect', lazy: () => import('../pages/connect/connect-page') },
  { path: '*', lazy: () => import('../pages/not-found/not-found-page') },
];

export function newRouter() {
  return createBrowserRouter([
    {
      element: <Shell />,
      // What fails while a page is loaded has no place inside the shell yet.
      errorElement: <PageFailure />,
      children: [{ errorElement: <PageFailure />, children: pages }],
      hydrateFallbackElement: <span />,
    },
  ]);
}
