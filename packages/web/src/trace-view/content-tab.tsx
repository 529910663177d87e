import type { SpanRecord } from "@agate/protocol";
import { ValueView } from "../value-view/value-view.tsx";
import { DetailSection } from "./detail-section.tsx";

const PARTS = [
  ["inputs", "Inputs"],
  ["outputs", "Outputs"],
  ["internals", "Internals"],
] as const;

/** What went in, what came out, what was noted between. */
export function ContentTab({ span }: { readonly span: SpanRecord }) {
  const recorded = PARTS.filter(([name]) => (span.content[name] ?? null) !== null);
  if (recorded.length === 0) {
    return <p className="p-4 text-ink-soft">Neither inputs nor outputs are recorded.</p>;
  }
  return recorded.map(([name, label]) => (
    <DetailSection key={name} title={label}>
      <ValueView value={span.content[name]} label={label} />
    </DetailSection>
  ));
}
