import Box from '@cloudscape-design/components/box';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';

interface Props {
  command: string;
  /** What it does, for those who only hear the button. */
  label: string;
}

/** A command for a terminal, or a piece of a file, to be copied as it stands. */
export function CopyableCommand({ command, label }: Props) {
  return (
    <div className="command" dir="ltr">
      <CopyToClipboard
        variant="icon"
        textToCopy={command}
        copyButtonAriaLabel={`Copy: ${label}`}
        copySuccessText="Copied"
        copyErrorText="The browser did not let it be copied"
      />
      <Box variant="code">{command}</Box>
    </div>
  );
}
