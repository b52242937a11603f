export interface Part {
  /** Where in the text it begins. */
  at: number;
  words: string;
  isOperation: boolean;
}

// A ULID, in Crockford's alphabet; operations of this century begin with 0.
const OPERATION = /\b(0[0-9A-HJKMNP-TV-Z]{25})\b/;

/** A text in parts: the operations that it names by their ids, and what stands between them. */
export function partsOf(text: string): Part[] {
  let at = 0;
  const parts = text.split(OPERATION).map((words, index) => {
    const part = { at, words, isOperation: index % 2 === 1 };
    at += words.length;
    return part;
  });
  return parts.filter(({ words }) => words !== '');
}
