import { createContext, useContext } from 'react';
import type { Api } from './client';
import type { Configuration } from './configuration';

export interface Deployment {
  api: Api;
  configuration: Configuration;
}

export const DeploymentContext = createContext<Deployment | null>(null);

/** The client of the API, and what the deployment tells of itself. */
export function useDeployment(): Deployment {
  const deployment = useContext(DeploymentContext);
  if (deployment === null) {
    throw new Error('useDeployment is for pages inside the application');
  }
  return deployment;
}

export function useApi(): Api {
  return useDeployment().api;
}
