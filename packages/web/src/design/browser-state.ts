import { useCallback, useEffect, useState, useSyncExternalStore } from "react";

/**
 * Whether anyone can see the page. Browsers open six connections to a platform at most: tabs that nobody
 * looks at should hold none.
 */
export function usePageVisible(): boolean {
  return useSyncExternalStore(subscribeToVisibility, () => !document.hidden);
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

/** The time, in milliseconds since 1970, told anew every so often: for "5 min ago". */
export function useNow(everyMs = 10_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

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

/** A switch of the page that stays as this reader has left it. */
export function useKeptFlag(key: string): readonly [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(() => localStorage.getItem(key) === "true");
  const keep = (next: boolean) => {
    localStorage.setItem(key, String(next));
    setOn(next);
  };
  return [isOn, keep];
}

const DARK = "(prefers-color-scheme: dark)";

/** What the page looks like now, whether the reader or their system chose it. */
export function useShownTheme(): "light" | "dark" {
  return useSyncExternalStore(subscribeToTheme, shownTheme);
}

function shownTheme(): "light" | "dark" {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia(DARK).matches ? "dark" : "light";
}

function subscribeToTheme(onChange: () => void): () => void {
  const system = matchMedia(DARK);
  system.addEventListener("change", onChange);
  const chosen = new MutationObserver(onChange);
  chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    system.removeEventListener("change", onChange);
    chosen.disconnect();
  };
}
