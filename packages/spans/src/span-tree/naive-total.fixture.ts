import type { TotalFigures, Usage } from "@agate/protocol";
import { USAGE_FIELDS } from "@agate/protocol";
import type { SpanNode, SpanTree } from "./build-tree.ts";
import type { ReportedFigures } from "./reported-figures.ts";

/** Tokens or cost of one report, as they are counted in a subtree. */
interface Counted {
  readonly node: number;
  readonly part: "usage" | "cost";
  /** Of the call; null where the report stands for itself. */
  readonly key: string | null;
  /** Tokens of a call whose cost a wrapper above it has. */
  readonly isCovered?: boolean;
}

/** The total of a node, by the rule as docs/reference/span-record.md has it, with lists. */
export function naiveTotal(
  tree: SpanTree,
  nodes: readonly SpanNode[],
  focus: number,
): TotalFigures {
  return sumOf(naiveCounted(tree, nodes, focus), nodes);
}

function naiveCounted(tree: SpanTree, nodes: readonly SpanNode[], focus: number): Counted[] {
  const from = (tree.position[focus] as number) + 1;
  const children = [...tree.preorder.subarray(from, tree.subtreeEnd[focus])].filter(
    (node) => tree.depth[node] === (tree.depth[focus] as number) + 1,
  );
  const below = bestOfEach(
    children.flatMap((child) => naiveCounted(tree, nodes, child)),
    tree,
    nodes,
  );
  const own = nodes[focus]?.figures ?? null;
  if (own === null) return below;
  const key = own.role === "own" ? naiveKey(own, nodes) : null;
  const counted: Counted[] = [
    ...(own.usage === null ? [] : [{ node: focus, part: "usage" as const, key }]),
    ...(own.cost === null ? [] : [{ node: focus, part: "cost" as const, key }]),
  ];
  if (key !== null && below.some((other) => other.key === key)) {
    return bestOfEach([...below, ...counted], tree, nodes);
  }
  const sum = sumOf(below, nodes);
  const isRepeated =
    below.length > 0 &&
    (own.role === "restated" ||
      (own.usage !== null &&
        own.usage.input_tokens === sum.usage?.input_tokens &&
        own.usage.output_tokens === sum.usage?.output_tokens));
  if (!isRepeated) return [...below, ...counted];
  if (sum.cost !== null || own.cost === null) return below;
  const covered = below.map((entry) => ({ ...entry, isCovered: true }));
  return [...covered, { node: focus, part: "cost", key: null }];
}

/** Of an id that is not unique, with the first of the reports that it overlaps, directly or by others. */
function naiveKey({ call }: ReportedFigures, nodes: readonly SpanNode[]): string | null {
  if (call?.during === undefined) return call?.key ?? null;
  const calls = nodes.map(({ figures }) =>
    figures?.role === "own" && figures.call?.key === call.key ? figures.call : undefined,
  );
  const overlap = (a: ReportedFigures["call"], b: ReportedFigures["call"]) => {
    const [[start, end], [from, to]] = [a?.during ?? [0, 0], b?.during ?? [0, 0]];
    return Math.min(end, to) - Math.max(start, from) > 1_000;
  };
  let reached = [call];
  for (let before = 0; before < reached.length; ) {
    before = reached.length;
    reached = calls.filter(
      (each) =>
        each !== undefined && reached.some((other) => each === other || overlap(each, other)),
    ) as typeof reached;
  }
  return `${call.key} ${calls.indexOf(reached[0])}`;
}

function bestOfEach(
  all: readonly Counted[],
  tree: SpanTree,
  nodes: readonly SpanNode[],
): Counted[] {
  const ranked = all.toSorted((a, b) => {
    const ranks = [a, b].map(({ node }) => {
      const figures = nodes[node]?.figures;
      const { cached_input_tokens: cached = null, reasoning_tokens: reasoning = null } =
        figures?.usage ?? {};
      return [
        figures?.call?.isCostSent ? 1 : 0,
        figures?.cost === null ? 0 : 1,
        Number(cached !== null) + Number(reasoning !== null),
        tree.depth[node] as number,
        -(tree.position[node] as number),
      ];
    });
    const [rankA, rankB] = ranks as [number[], number[]];
    const n = rankA.findIndex((value, n) => value !== rankB[n]);
    return n < 0 ? 0 : (rankB[n] as number) - (rankA[n] as number);
  });
  return ranked
    .filter(
      ({ key, part }, n) =>
        key === null || n === ranked.findIndex((other) => other.key === key && other.part === part),
    )
    .map((entry) => ({
      ...entry,
      isCovered: all.some(
        (other) => other.isCovered === true && (other === entry || isSameCall(other, entry)),
      ),
    }));
}

function isSameCall(a: Counted, b: Counted): boolean {
  return a.key === null ? b.key === null && a.node === b.node : a.key === b.key;
}

function sumOf(counted: readonly Counted[], nodes: readonly SpanNode[]): TotalFigures {
  const total = (values: (number | null)[]) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((a, b) => a + b);
  };
  const of = (part: Counted["part"]) =>
    counted.flatMap((entry) => (entry.part === part ? (nodes[entry.node]?.figures ?? []) : []));
  const sums = Object.fromEntries(
    USAGE_FIELDS.map((field) => [field, total(of("usage").map(({ usage }) => usage![field]))]),
  ) as unknown as Usage;
  const isKnown = USAGE_FIELDS.some((field) => sums[field] !== null);
  const unpriced = counted.filter(
    (entry) =>
      entry.part === "usage" &&
      entry.isCovered !== true &&
      Object.values(nodes[entry.node]?.figures?.usage ?? {}).some((tokens) => tokens > 0) &&
      !counted.some((other) => other.part === "cost" && isSameCall(entry, other)),
  ).length;
  return {
    usage: isKnown ? sums : null,
    cost: total(of("cost").map(({ cost }) => cost)),
    ...(unpriced > 0 && { unpriced_calls: unpriced }),
  };
}
