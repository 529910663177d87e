import { useCallback, useState } from "react";

/**
 * How wide an element is, in pixels, and the ref that it takes; null before it is there.
 *
 * @example const [ref, width] = useElementWidth(); … <div ref={ref}>
 */
export function useElementWidth(): readonly [(element: HTMLElement | null) => void, number | null] {
  const [width, setWidth] = useState<number | null>(null);
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
