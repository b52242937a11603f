import DateRangePicker, { type DateRangePickerProps } from '@cloudscape-design/components/date-range-picker';
import { useSearchParams } from 'react-router';
import { useNow } from '../../components/use-now';
import { ago, spanned } from './filters';

const BACK: DateRangePickerProps.RelativeOption[] = [
  { key: 'hour', amount: 1, unit: 'hour', type: 'relative' },
  { key: 'day', amount: 1, unit: 'day', type: 'relative' },
  { key: 'week', amount: 7, unit: 'day', type: 'relative' },
  { key: 'month', amount: 30, unit: 'day', type: 'relative' },
];

/** The time that a list spans. One that was chosen as "the last hour" stays that hour, whenever its address is opened. */
export function TimeRange() {
  const [search, setSearch] = useSearchParams();
  const now = useNow(null);
  const [from, to] = [search.get('from'), search.get('to')];
  return (
    <DateRangePicker
      value={from && to ? { type: 'absolute', startDate: from, endDate: to } : null}
      onChange={({ detail }) => setSearch((before) => spanned(before, rangeOf(detail.value, now)), { replace: true })}
      relativeOptions={BACK}
      isValidRange={complaintAbout}
      absoluteFormat="long-localized"
      placeholder="Any time"
      expandToViewport
      i18nStrings={{ ariaLabel: 'Time', formatRelativeRange: ({ amount, unit }) => lasting(amount, unit) }}
    />
  );
}

function rangeOf(chosen: DateRangePickerProps.Value | null, now: number) {
  if (chosen === null) {
    return null;
  }
  return chosen.type === 'absolute'
    ? { from: chosen.startDate, to: chosen.endDate }
    : { from: ago(chosen.amount, chosen.unit, now), to: new Date(now).toISOString() };
}

function complaintAbout(chosen: DateRangePickerProps.Value | null): DateRangePickerProps.ValidationResult {
  const isWhole = chosen?.type !== 'absolute' || (chosen.startDate !== '' && chosen.endDate !== '');
  return isWhole ? { valid: true } : { valid: false, errorMessage: 'Choose the first and the last day.' };
}

function lasting(amount: number, unit: string): string {
  return amount === 1 ? `Last ${unit}` : `Last ${amount} ${unit}s`;
}
