/** Under which the page's own content is found. */
export const CONTENT_ID = "content";

/** The first thing that the keyboard reaches: leads past the navigation. Not seen before that. */
export function SkipLink() {
  return (
    <a
      href={`#${CONTENT_ID}`}
      // Not by the address, which says what is shown.
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(CONTENT_ID)?.focus();
      }}
      className="sr-only z-50 rounded-md bg-accent px-3 py-2 font-medium text-accent-ink focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
    >
      Skip to the content
    </a>
  );
}
