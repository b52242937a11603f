import { createBrowserRouter, type RouteObject } from 'react-router';
import { HomePage } from '../pages/home/home-page';
import { PageFailure } from './page-failure';
import { Shell } from './shell';

/** A page is loaded when somebody goes there; its module exports it as `Component`. */
const pages: RouteObject[] = [
  { index: true, element: <HomePage /> },
  { path: 'clusters/:tag/:tab?', lazy: () => import('../pages/cluster/cluster-page') },
  { path: 'operations/:operationId', lazy: () => import('../pages/operation/operation-page') },
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
