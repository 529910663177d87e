import type { SpanRecord } from "@agate/protocol";
import { JsonView } from "../value-view/json-view.tsx";
import { DetailSection } from "./detail-section.tsx";
import { Facts } from "./facts.tsx";
import { hasVariant } from "./trace-facts.ts";
import { VariantLink } from "./variant-link.tsx";

/** What the span was configured with, and where that came from. */
export function ConfigTab({ span }: { readonly span: SpanRecord }) {
  const { config, environment, metadata } = span;
  const isNamed = hasVariant(span);
  return (
    <>
      {(isNamed || environment !== null) && (
        <DetailSection title="From">
          <Facts
            facts={[
              ["Variant", isNamed ? <VariantLink key="variant" span={span} /> : null],
              ["Environment", environment],
              ["Application", metadata.application],
            ]}
          />
        </DetailSection>
      )}
      {config === null ? (
        <p className="p-4 text-ink-soft">No configuration is recorded.</p>
      ) : (
        <DetailSection title="Configuration">
          <JsonView value={config} label="Configuration" openDepth={3} />
        </DetailSection>
      )}
    </>
  );
}
