import '@tanstack/react-query';
import type { ProblemError } from './problems';

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ProblemError;
  }
}
