import { useDocumentTitle } from "../design/page-header.tsx";

/** Reads out which page one has come to: links change it without a load, of which nobody else tells. */
export function PageAnnouncer() {
  return (
    <p role="status" className="sr-only">
      {useDocumentTitle()}
    </p>
  );
}
