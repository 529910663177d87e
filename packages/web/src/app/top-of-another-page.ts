import { CONTENT_ID } from "./skip-link.tsx";

/**
 * What the router is to scroll to its top: the content, once for each page. The same element holds every
 * page, so that it would open a new one as far down as the last was left. What changes only the query (a
 * filter, a choice further down) leaves it where it is.
 */
export function topOfAnotherPage(): () => Element | null {
  let shown = window.location.pathname;
  return () => {
    const { pathname } = window.location;
    if (pathname === shown) return null;
    shown = pathname;
    return document.getElementById(CONTENT_ID);
  };
}
