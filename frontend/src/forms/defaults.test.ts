import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULTS } from './defaults';

interface Document {
  components: { schemas: Record<string, { properties: Record<string, { default?: unknown }> }> };
}

test('what the forms show as defaults is what the API takes by itself', () => {
  const path = new URL('../../../functions/core/data/openapi.json', import.meta.url);
  const { components }: Document = JSON.parse(readFileSync(path, 'utf8'));
  for (const [model, fields] of Object.entries(DEFAULTS)) {
    for (const [field, value] of Object.entries(fields)) {
      expect(components.schemas[model]?.properties[field]?.default, `${model}.${field}`).toBe(value);
    }
  }
});
