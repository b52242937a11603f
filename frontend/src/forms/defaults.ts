/** What the API takes where nobody says anything, to be shown and not sent; a test holds it to the API's document. */
export const DEFAULTS = {
  HyperPod: { on_shortage: 'wait', node_recovery: 'automatic' },
  SystemGroup: { name: 'system', instance_type: 'ml.c5.4xlarge', instance_count: 1 },
  S3Mount: { name: 's3-claim', namespace: 'default' },
} as const;
