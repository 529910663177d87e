import type { Figures } from "./measure-system.ts";

/** What came of a system: figures only when it had every span. */
export type Outcome =
  | { readonly name: string; readonly figures: Figures }
  | { readonly name: string; readonly problem: string };

interface Row {
  readonly what: string;
  readonly of: (figures: Figures) => number;
  readonly unit: string;
}

const ROWS: readonly Row[] = [
  {
    what: "ingest until visible",
    of: ({ spansPerSecond }) => spansPerSecond,
    unit: " spans/s",
  },
  { what: "– processor time a span", of: ({ microsPerSpan }) => microsPerSpan, unit: " µs" },
  { what: "trace reads", of: ({ readsPerSecond }) => readsPerSecond, unit: "/s" },
  { what: "– processor time a read", of: ({ microsPerRead }) => microsPerRead, unit: " µs" },
  { what: "on disk, a span", of: ({ bytesPerSpan }) => bytesPerSpan, unit: " bytes" },
  { what: "memory (RSS)", of: ({ megabytes }) => megabytes, unit: " MB" },
];

/** A Markdown table: each figure, and in brackets its ratio to Agate's. */
export function peersTable(outcomes: readonly Outcome[]): string {
  const measured = outcomes.filter((outcome) => "figures" in outcome);
  const first = outcomes[0] !== undefined && "figures" in outcomes[0] ? outcomes[0].figures : null;
  const head = ["", ...outcomes.map(({ name }) => name)];
  const row = (what: string, show: (figures: Figures) => string) =>
    line([what, ...outcomes.map((each) => ("figures" in each ? show(each.figures) : "void"))]);
  return [
    line(head),
    line(head.map((_, n) => (n === 0 ? "---" : "---:"))),
    ...ROWS.map(({ what, of, unit }) =>
      row(what, (figures) => {
        const shown = `${count(of(figures))}${unit}`;
        if (first === null || figures === first) return shown;
        return `${shown} (${short(of(figures) / of(first))}×)`;
      }),
    ),
    row("spans sent, and all read back", ({ spans }) => count(spans)),
    row("processes", ({ processes }) => count(processes)),
    row("load of the machine, before and after", ({ load }) =>
      load.map((each) => each.toFixed(1)).join(", "),
    ),
    "",
    ...outcomes.map((outcome) =>
      "problem" in outcome ? `${outcome.name} is void: ${outcome.problem}\n` : "",
    ),
    measured.length === 0 ? "" : "mixed, OTLP protobuf in batches of 500, 8 connections.\n",
  ].join("\n");
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function short(ratio: number): string {
  return ratio >= 10 ? count(ratio) : ratio.toPrecision(2);
}
