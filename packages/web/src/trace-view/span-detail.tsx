import type { SpanRecord } from "@agate/protocol";
import { useState } from "react";
import { Badge } from "../design/badge.tsx";
import { type Tab, Tabs } from "../design/panels.tsx";
import { ConfigTab } from "./config-tab.tsx";
import { ContentTab } from "./content-tab.tsx";
import { EventsTab } from "./events-tab.tsx";
import { MetadataTab } from "./metadata-tab.tsx";
import { RawTab } from "./raw-tab.tsx";
import { SpanHeader } from "./span-header.tsx";

/** Everything that is recorded of one span. The chosen tab stays while one goes from span to span. */
export function SpanDetail({ span }: { readonly span: SpanRecord }) {
  const [tab, setTab] = useState("content");
  const events = span.metadata.events.length;
  const tabs: readonly Tab[] = [
    { value: "content", label: "Content", content: <ContentTab span={span} /> },
    { value: "config", label: "Configuration", content: <ConfigTab span={span} /> },
    { value: "metadata", label: "Metadata", content: <MetadataTab span={span} /> },
    {
      value: "events",
      label: (
        <span className="flex items-center gap-1.5">
          Events {events > 0 && <Badge>{events.toLocaleString("en")}</Badge>}
        </span>
      ),
      content: <EventsTab span={span} />,
    },
    { value: "raw", label: "Raw", content: <RawTab span={span} /> },
  ];
  return (
    <section aria-label="Span" className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
      <SpanHeader span={span} />
      {/* Another span begins at its top, folded as it was made. */}
      <Tabs key={span.id} label="About the span" tabs={tabs} value={tab} onChange={setTab} />
    </section>
  );
}
