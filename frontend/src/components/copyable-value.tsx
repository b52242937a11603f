import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';

interface Props {
  value: string;
  /** What it is, for those who cannot see it beside its label. */
  label?: string;
}

/** An id, a name or an address, to be copied. */
export function CopyableValue({ value, label = 'Copy' }: Props) {
  return (
    <span className="value" dir="auto">
      <CopyToClipboard
        variant="inline"
        textToCopy={value}
        copyButtonAriaLabel={label === 'Copy' ? `Copy ${value}` : label}
        copySuccessText="Copied"
        copyErrorText="The browser did not let it be copied"
      />
    </span>
  );
}
