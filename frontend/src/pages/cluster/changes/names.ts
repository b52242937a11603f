/** The names in a text that parts them by commas or spaces, each once. */
export function namesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}
