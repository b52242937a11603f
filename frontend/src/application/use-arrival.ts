import { useEffect, useEffectEvent, useRef } from 'react';
import { useLocation } from 'react-router';

/** The key of the location to which a browser comes from elsewhere: the focus is at the beginning by itself. */
const FROM_ELSEWHERE = 'default';

// A page may have one frame while it is read and another one then: to come to it is one arrival.
let arrived = FROM_ELSEWHERE;

/** Give the focus to the heading of a page that somebody came to by a link; the ref goes anywhere inside of it. */
export function useArrival(title: string) {
  const words = useRef<HTMLElement>(null);
  const { key } = useLocation();
  const arrive = useEffectEvent(() => {
    const heading = words.current?.closest('h1');
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (heading && key !== FROM_ELSEWHERE && (key !== arrived || isLost)) {
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
    arrived = key;
  });
  // Tabs and filters have addresses of their own, and leave the focus where it is: the page is the same.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page of another title is another page.
  useEffect(() => arrive(), [title]);
  return words;
}
