import { Fragment } from 'react';
import { PageLink } from '../../components/page-link';
import { partsOf } from './operation-ids';

/** What the ledger says, with each operation that it names as a link to it. */
export function OperationWords({ text }: { text: string }) {
  return (
    <span className="value">
      {partsOf(text).map(({ at, words, isOperation }) => (
        <Fragment key={at}>{isOperation ? <PageLink to={`/operations/${words}`}>{words}</PageLink> : words}</Fragment>
      ))}
    </span>
  );
}
