import { useApi } from './api-context';
import { answered } from './client';
import { keys } from './keys';
import { SOON, useListing, useToldInterval } from './listings';
import type { AuditEntry, AuditPage, paths } from './schema';

export type AuditFilters = Omit<NonNullable<paths['/api/audit']['get']['parameters']['query']>, 'limit' | 'next_token'>;

/** Who did what, newest first, page by page; entries outlive their operations. */
export function useAudit(filters: AuditFilters = {}) {
  const api = useApi();
  return useListing<AuditPage, AuditEntry>({
    key: keys.audit.list(filters),
    read: (next_token) => answered(api.GET('/api/audit', { params: { query: { ...filters, next_token } } })),
    items: (page) => page.entries,
    refetchInterval: useToldInterval(SOON),
  });
}
