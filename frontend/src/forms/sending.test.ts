import { expect, test } from 'vitest';
import { listed, named } from './sending';

test('names are read however they are parted', () => {
  expect(listed(' Bucket,  Vpc\nSubnet ,')).toEqual(['Bucket', 'Vpc', 'Subnet']);
  expect(listed('  ')).toBeUndefined();
});

test('rows of keys and values lose their blanks, and those left empty are none', () => {
  const rows = [
    { key: ' team ', value: ' a b ' },
    { key: ' ', value: '' },
  ];
  expect(named(rows)).toEqual({ team: 'a b' });
  expect(named(rows.slice(1))).toBeUndefined();
});
