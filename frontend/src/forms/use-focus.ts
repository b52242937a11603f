import { useEffect, useRef } from 'react';

/** Give the focus to what is new on the page, whenever `news` is another thing; null is none. */
export function useFocusOn(news: unknown) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (news !== null) {
      place.current?.focus();
      place.current?.scrollIntoView({ block: 'start' });
    }
  }, [news]);
  return place;
}
