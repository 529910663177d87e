import type { Application } from "@agate/protocol";

/** A target of the command menu. */
export type Destination =
  | { readonly to: "/" | "/playground" | "/traces" | "/testsets" | "/runs" | "/apps" }
  | { readonly to: "/apps/$app"; readonly app: string }
  | { readonly to: "/apps/$app/playground"; readonly app: string; readonly route: string }
  | { readonly to: "/traces/$traceId"; readonly traceId: string }
  | { readonly to: "/traces"; readonly q: string }
  /** A span's trace has to be looked up first. */
  | { readonly to: "span"; readonly spanId: string };

export interface Command {
  readonly label: string;
  /** Shown beside the label. */
  readonly group: "Go to" | "Application" | "Playground" | "Traces";
  readonly destination: Destination;
}

const PLACES: readonly Command[] = [
  { label: "Dashboard", group: "Go to", destination: { to: "/" } },
  { label: "Playground", group: "Go to", destination: { to: "/playground" } },
  { label: "Traces", group: "Go to", destination: { to: "/traces" } },
  { label: "Test sets", group: "Go to", destination: { to: "/testsets" } },
  { label: "Runs", group: "Go to", destination: { to: "/runs" } },
  { label: "Applications", group: "Go to", destination: { to: "/apps" } },
];

const TRACE_ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const SPAN_ID = /^[0-9a-f]{16}$/i;

/** The commands that match the typed text, best first: pages, applications, routes; an id; a search. */
export function commandsFor(
  typed: string,
  applications: readonly Application[],
): readonly Command[] {
  const text = typed.trim();
  const known = [...PLACES, ...applications.flatMap(commandsOf)];
  if (text === "") return known;
  if (TRACE_ID.test(text)) {
    return [command(`Trace ${text}`, { to: "/traces/$traceId", traceId: text })];
  }
  const found = known
    .map((each) => ({
      each,
      score: score(text.toLowerCase(), `${each.label} ${each.group}`.toLowerCase()),
    }))
    .filter(({ score }) => score !== null)
    .sort((one, other) => (one.score ?? 0) - (other.score ?? 0))
    .map(({ each }) => each);
  return [
    ...(SPAN_ID.test(text) ? [command(`Span ${text}`, { to: "span", spanId: text })] : []),
    ...found,
    command(`Search traces for “${text}”`, { to: "/traces", q: text }),
  ];
}

function command(label: string, destination: Destination): Command {
  return { label, group: "Traces", destination };
}

function commandsOf({ slug, routes }: Application): readonly Command[] {
  return [
    { label: slug, group: "Application", destination: { to: "/apps/$app", app: slug } },
    ...(routes ?? []).map(
      (route): Command => ({
        label: `${slug} ${route}`,
        group: "Playground",
        destination: { to: "/apps/$app/playground", app: slug, route },
      }),
    ),
  ];
}

/** Lower is better: a prefix, the start of a word, a substring, the letters in order; null for no match. */
function score(text: string, within: string): number | null {
  const at = within.indexOf(text);
  if (at === 0) return 0;
  if (at > 0) return /[\s/._-]/.test(within[at - 1] ?? "") ? 1 : 2;
  let from = 0;
  for (const letter of text) {
    const next = within.indexOf(letter, from);
    if (next < 0) return null;
    from = next + 1;
  }
  return 3;
}
