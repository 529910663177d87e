import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/** As near to the end as a reader who scrolls to it comes. */
const NEAR_PX = 8;

/** Keeps the end of a box in sight while it grows, unless the reader has scrolled away from it. */
export function useFollowedEnd(isGrowing: boolean): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const onScroll = () => {
      const { scrollHeight, scrollTop, clientHeight } = element;
      isAtEnd.current = scrollHeight - scrollTop - clientHeight <= NEAR_PX;
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, []);
  // After each drawing: whatever has arrived makes the box longer.
  useLayoutEffect(() => {
    const element = box.current;
    if (isGrowing && isAtEnd.current && element !== null) element.scrollTop = element.scrollHeight;
  });
  return box;
}
