/** The names under which answers are cached: one place, so that what is told live finds what it changes. */
export const keys = {
  clusters: {
    all: ['clusters'],
    lists: ['clusters', 'list'],
    list: (filters: object = {}) => ['clusters', 'list', filters],
    /** Everything that is known of clusters one by one. */
    each: ['clusters', 'one'],
    /** Everything that is known of one cluster; its parts begin with this. */
    one: (tag: string) => ['clusters', 'one', tag],
    /** All that is known of a part of a cluster that has a route of its own, such as `events`. */
    parts: (tag: string, name: string) => ['clusters', 'one', tag, name],
    part: (tag: string, name: string, filters: object = {}) => ['clusters', 'one', tag, name, filters],
  },
  operations: {
    all: ['operations'],
    lists: ['operations', 'list'],
    list: (filters: object = {}) => ['operations', 'list', filters],
    one: (operationId: string) => ['operations', 'one', operationId],
    audit: (operationId: string) => ['operations', 'audit', operationId],
  },
  /** A diagnosis asks AWS for a long time: it runs when somebody wants it, not whenever a cluster changes. */
  diagnosis: (tag: string, filters: object = {}) => ['diagnosis', tag, filters],
  preferences: { activeCluster: ['preferences', 'active_cluster'] },
  audit: { all: ['audit'], list: (filters: object = {}) => ['audit', filters] },
  catalog: { all: ['catalog'], of: (name: string, filters: object = {}) => ['catalog', name, filters] },
} as const;
