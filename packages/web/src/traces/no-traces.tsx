import { Link } from "@tanstack/react-router";
import { ListTree, SearchX } from "lucide-react";
import { Button } from "../design/button.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { EmptyState } from "../design/empty-state.tsx";

/** Nothing was ever recorded: how to change that. */
export function NoTraces() {
  const { origin } = window.location;
  return (
    <EmptyState icon={ListTree} title="No traces yet">
      <p>
        They appear here as soon as they are recorded. Call a route in the{" "}
        <Link to="/playground" className="font-medium text-accent underline">
          playground
        </Link>
        , or send some from your own program:
      </p>
      <Commands
        about="A workflow with the Agate SDK"
        lines={["npm install @agate/sdk", `AGATE_BASE_URL=${origin} node app.ts`]}
      />
      <Commands
        about="Anything with OpenTelemetry"
        lines={[
          `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}`,
          "export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
        ]}
      />
    </EmptyState>
  );
}

function Commands({ about, lines }: { readonly about: string; readonly lines: readonly string[] }) {
  const text = lines.join("\n");
  return (
    <figure className="w-full overflow-hidden rounded-lg border border-line bg-surface text-left">
      <figcaption className="flex items-center justify-between border-b border-line py-1 pr-1.5 pl-3 font-medium text-ink">
        {about}
        <CopyButton what={`the lines for ${about.toLowerCase()}`} text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it may have to be scrolled */}
      <pre tabIndex={0} className="overflow-x-auto px-3 py-2 font-mono text-xs text-ink">
        {text}
      </pre>
    </figure>
  );
}

interface NoMatchProps {
  readonly what: string;
  readonly onClear: () => void;
}

/** There are traces, but none of these. */
export function NoMatch({ what, onClear }: NoMatchProps) {
  return (
    <EmptyState icon={SearchX} title={`No ${what} match`}>
      <p>Take away a filter, look for other words, or choose a longer time range.</p>
      <Button onClick={onClear}>Clear filters, search and range</Button>
    </EmptyState>
  );
}
