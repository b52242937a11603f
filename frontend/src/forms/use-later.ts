import { useEffect, useState } from 'react';

const PAUSE = 400;

/** What is typed, once nobody types on. */
export function useLater<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
