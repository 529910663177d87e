import { DamagedSegmentError } from "./segments/segment-checksum.ts";
import type { ListPage } from "./span-query.ts";
import type { StoreTrouble } from "./store-trouble.ts";

/** A list shows what can be read; the log names what cannot. */
export function reportDamaged(
  page: ListPage,
  onTrouble: (trouble: StoreTrouble) => void,
): ListPage {
  for (const traceId of page.damaged ?? []) {
    onTrouble({
      what: "A damaged trace was left out of a list.",
      error: new DamagedSegmentError(traceId),
    });
  }
  return page;
}
