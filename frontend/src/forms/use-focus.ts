import { useEffect, useRef } from 'react';

/** Give the focus to what is new on the page, whenever `news` is another thing; null is none. */
export function useFocusOn<Place extends HTMLElement = HTMLElement>(news: unknown) {
  const place = useRef<Place>(null);
  useEffect(() => {
    if (news !== null) {
      place.current?.focus();
      place.current?.scrollIntoView({ block: 'start' });
    }
  }, [news]);
  return place;
}
