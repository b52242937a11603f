import { useEffect, useState } from 'react';

/** Where a window has room for a page beside the list of pages. */
const WIDE = '(min-width: 1000px)';

/** Whether the list of pages is open: by itself where there is room for it, and else as a person has it. */
export function useNavigationOpen(): [boolean, (open: boolean) => void] {
  const [open, setOpen] = useState(() => window.matchMedia(WIDE).matches);
  useEffect(() => {
    const wide = window.matchMedia(WIDE);
    const follow = ({ matches }: MediaQueryListEvent) => setOpen(matches);
    wide.addEventListener('change', follow);
    return () => wide.removeEventListener('change', follow);
  }, []);
  return [open, setOpen];
}
