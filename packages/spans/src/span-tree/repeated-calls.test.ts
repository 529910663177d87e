import type { Usage } from "@agate/protocol";
import { USAGE_FIELDS } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildTree, type SpanNode } from "./build-tree.ts";
import { naiveTotal } from "./naive-total.fixture.ts";
import type { ReportedFigures } from "./reported-figures.ts";

const usage = (
  input: number,
  output: number,
  cached: number | null = null,
  reasoning: number | null = null,
): Usage => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
  cached_input_tokens: cached,
  reasoning_tokens: reasoning,
});

const report = (
  key: string | null,
  tokens: Usage | null,
  cost: number | null = null,
  isCostSent = false,
): ReportedFigures => ({
  role: "own",
  usage: tokens,
  cost,
  call: key === null ? undefined : { key, isCostSent },
});

function node(
  id: string,
  parentId: string | null,
  start: number,
  figures: ReportedFigures | null,
): SpanNode {
  return { id, parentId, start, startNanos: 0, figures };
}

const top = (...nodes: SpanNode[]) => {
  const tree = buildTree([node("top", null, 0, null), ...nodes]);
  return tree.total(tree.top);
};

describe("a call that several spans report", () => {
  it("counts once as siblings, and in whichever subtree holds a report", () => {
    const nodes = [
      node("top", null, 0, null),
      node("anthropic", "top", 1, report("msg_1", usage(1000, 200, 400), 0.25)),
      node("wrapper", "top", 2, null),
      node("traceloop", "wrapper", 3, report("msg_1", usage(1000, 200), 0.5)),
      node("another", "wrapper", 4, report("msg_2", usage(1000, 200), 0.5)),
    ];
    const tree = buildTree(nodes);
    expect(tree.total(0)).toEqual({
      usage: { ...usage(2000, 400), cached_input_tokens: 400 },
      cost: 0.75,
    });
    expect(tree.total(2)).toEqual({ usage: usage(2000, 400), cost: 1 });
    expect(tree.total(3)).toEqual({ usage: usage(1000, 200), cost: 0.5 });
  });

  it("counts once as parent and child with other figures", () => {
    expect(
      top(
        node("outer", "top", 1, report("x", usage(1000, 200, 400, 50))),
        node("inner", "outer", 2, report("x", usage(600, 150))),
      ).usage,
    ).toEqual(usage(1000, 200, 400, 50));
  });

  it.each<[string, ReportedFigures, ReportedFigures]>([
    [
      "a cost that was sent, to one that was computed",
      report("x", usage(1, 1), 0.5, true),
      report("x", usage(2, 2, 1, 1), 0.25),
    ],
    ["a cost to none", report("x", usage(1, 1), 0), report("x", usage(2, 2, 1, 1))],
    ["cached tokens to none", report("x", usage(1, 1, 0)), report("x", usage(2, 2))],
    ["reasoning tokens to none", report("x", usage(1, 1, null, 0)), report("x", usage(2, 2))],
    ["both to one", report("x", usage(1, 1, 1, 1)), report("x", usage(2, 2, 2))],
  ])("prefers %s", (_, better, worse) => {
    const expected = {
      usage: better.usage,
      cost: better.cost,
      ...(better.cost === null && { unpriced_calls: 1 }),
    };
    expect(top(node("a", "top", 1, better), node("b", "top", 2, worse))).toEqual(expected);
    expect(top(node("a", "top", 1, worse), node("b", "top", 2, better))).toEqual(expected);
    expect(top(node("a", "top", 1, better), node("b", "a", 2, worse))).toEqual(expected);
  });

  it("prefers the deeper of equals, then the first", () => {
    const one = report("x", usage(1, 1));
    const two = report("x", usage(2, 2));
    expect(top(node("a", "top", 1, one), node("b", "top", 2, two)).usage).toEqual(one.usage);
    expect(top(node("a", "top", 1, one), node("b", "a", 2, two)).usage).toEqual(two.usage);
  });

  it("takes the tokens of another report where the one with the cost has none", () => {
    expect(
      top(
        node("a", "top", 1, report("x", null, 0.5, true)),
        node("b", "top", 2, report("x", usage(3, 4, 2), 0.25)),
      ),
    ).toEqual({ usage: usage(3, 4, 2), cost: 0.5 });
  });

  it("is priced where any report has a cost, in whichever subtree holds that report", () => {
    const nodes = [
      node("top", null, 0, null),
      node("a", "top", 1, null),
      node("tokens", "a", 2, report("x", usage(3, 4))),
      node("b", "top", 3, null),
      node("cost", "b", 4, report("x", null, 0.5, true)),
      node("other", "b", 5, report("y", usage(1, 1))),
      node("again", "top", 6, report("y", usage(1, 1))),
    ];
    const tree = buildTree(nodes);
    expect(tree.total(1)).toEqual({ usage: usage(3, 4), cost: null, unpriced_calls: 1 });
    expect(tree.total(3)).toEqual({ usage: usage(1, 1), cost: 0.5, unpriced_calls: 1 });
    expect(tree.total(0)).toEqual({ usage: usage(4, 5), cost: 0.5, unpriced_calls: 1 });
  });

  it("is priced by the cost of a wrapper, also where another report of it has none", () => {
    const wrapper: ReportedFigures = { role: "restated", usage: usage(3, 4), cost: 0.5 };
    expect(
      top(
        node("agent", "top", 1, wrapper),
        node("a", "agent", 2, report("x", usage(3, 4))),
        node("b", "top", 3, report("x", usage(3, 4))),
      ),
    ).toEqual({ usage: usage(3, 4), cost: 0.5 });
  });

  it("is found again in the sum that a wrapper without an id repeats", () => {
    expect(
      top(
        node("langchain", "top", 1, report(null, usage(1000, 200), 0.5)),
        node("a", "langchain", 2, report("x", usage(1000, 200), 0.5)),
        node("b", "langchain", 3, report("x", usage(1000, 200), 0.5)),
      ),
    ).toEqual({ usage: usage(1000, 200), cost: 0.5 });
  });

  it.each<[string, [number, number][], number]>([
    [
      "one within another",
      [
        [0, 9],
        [3, 5],
      ],
      1,
    ],
    [
      "one that begins before the other ends",
      [
        [0, 9],
        [7.999, 20],
      ],
      1,
    ],
    [
      "a chain of such",
      [
        [0, 9],
        [7, 20],
        [18, 30],
      ],
      1,
    ],
    [
      "two that take no time, at once",
      [
        [4, 4],
        [4, 4],
      ],
      2,
    ],
    [
      "two that take a millisecond, at once",
      [
        [4, 5],
        [4, 5],
      ],
      2,
    ],
    [
      "one of a millisecond within another",
      [
        [4, 8],
        [5, 6],
      ],
      2,
    ],
    [
      "one of a millisecond between two that overlap",
      [
        [0, 9],
        [5, 6],
        [7, 20],
      ],
      2,
    ],
    [
      "one that begins a millisecond before the other ends",
      [
        [0, 9],
        [8, 20],
      ],
      2,
    ],
    [
      "one that begins as the other ends",
      [
        [0, 9],
        [9, 20],
      ],
      2,
    ],
    [
      "two, and their repetition after them",
      [
        [0, 9],
        [0, 8],
        [10, 19],
        [11, 19],
      ],
      2,
    ],
  ])("with an id that is not unique is one call where reports overlap: %s", (_, times, calls) => {
    for (const spans of [times, times.toReversed()]) {
      const reports = spans.map((milliseconds, n) =>
        node(`s${n}`, "top", n, {
          ...report(null, usage(10, 1)),
          call: {
            key: "x",
            isCostSent: false,
            during: milliseconds.map((each) => each * 1000) as [number, number],
          },
        }),
      );
      expect(top(...reports).usage).toEqual(usage(10 * calls, calls));
    }
  });

  it("takes 40,000 reports of one call, or of 20,000, in a chain and side by side", () => {
    const count = 40_000;
    for (const calls of [1, count / 2]) {
      for (const isChain of [true, false]) {
        const nodes = Array.from({ length: count }, (_, n) =>
          node(
            `s${n}`,
            n === 0 ? null : isChain ? `s${n - 1}` : "s0",
            n,
            report(`call ${n % calls}`, usage(1 + (n % calls), 1)),
          ),
        );
        const tree = buildTree(nodes);
        expect(tree.total(tree.top).usage).toEqual(usage((calls * (calls + 1)) / 2, calls));
      }
    }
  });
});

describe("totals of any reports", () => {
  const figures = fc.record({
    role: fc.constantFrom("own" as const, "own" as const, "restated" as const),
    usage: fc.option(
      fc
        .tuple(fc.nat(3), fc.nat(3), fc.option(fc.nat(2)), fc.option(fc.nat(2)))
        .map((counts) => usage(...counts)),
    ),
    // Sums of these are exact.
    cost: fc.constantFrom(null, 0, 0.25, 0.5),
    call: fc.option(
      fc.oneof(
        fc.record({ key: fc.constantFrom("x", "y", "z"), isCostSent: fc.boolean() }),
        fc.record({
          key: fc.constant("weak"),
          isCostSent: fc.boolean(),
          during: fc
            .tuple(fc.nat(9), fc.nat(3))
            .map(([start, length]) => [start * 600, (start + length) * 600]),
        }),
      ),
      { nil: undefined },
    ) as fc.Arbitrary<ReportedFigures["call"]>,
  });

  const treesOf = (report: fc.Arbitrary<ReportedFigures>) =>
    fc
      .array(fc.tuple(fc.nat(30), fc.nat(4), fc.option(report)), { minLength: 1, maxLength: 14 })
      .map((sketches) =>
        sketches.map(([parent, start, figures], n) =>
          node(`s${n}`, n === 0 ? null : `s${parent % n}`, start, figures),
        ),
      );

  it("are those of a naive model, for every span", () => {
    fc.assert(
      fc.property(treesOf(figures), (nodes) => {
        const tree = buildTree(nodes);
        for (const n of nodes.keys()) expect(tree.total(n)).toEqual(naiveTotal(tree, nodes, n));
      }),
      { numRuns: 700 },
    );
  });

  it("do not depend on the order of arrival", () => {
    const shuffled = treesOf(figures).chain((nodes) =>
      fc.tuple(
        fc.constant(nodes),
        fc.shuffledSubarray(nodes, { minLength: nodes.length, maxLength: nodes.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([nodes, others]) => {
        const tree = buildTree(nodes);
        const other = buildTree(others);
        for (const [n, { id }] of nodes.entries()) {
          const same = others.findIndex((node) => node.id === id);
          expect(other.total(same)).toEqual(tree.total(n));
        }
      }),
    );
  });

  it("are no more than all reports together", () => {
    fc.assert(
      fc.property(treesOf(figures), (nodes) => {
        const tree = buildTree(nodes);
        const { usage, cost } = tree.total(tree.top);
        const reports = nodes.flatMap(({ figures }) => figures ?? []);
        const sum = (values: (number | null | undefined)[]) =>
          values.reduce<number>((all, value) => all + (value ?? 0), 0);
        for (const field of USAGE_FIELDS) {
          expect(usage?.[field] ?? 0).toBeLessThanOrEqual(
            sum(reports.map((report) => report.usage?.[field])),
          );
        }
        expect(cost ?? 0).toBeLessThanOrEqual(sum(reports.map((report) => report.cost)));
      }),
    );
  });

  it("are no less than any model call's report, where reports of a call agree", () => {
    const agreeing = figures.map((figures): ReportedFigures => {
      const tokens: Record<string, Usage> = {
        x: usage(1, 2, 1),
        y: usage(3, 0),
        z: usage(2, 2, null, 1),
        weak: usage(1, 1),
      };
      return { ...figures, role: "own", usage: tokens[figures.call?.key ?? ""] ?? figures.usage };
    });
    fc.assert(
      fc.property(treesOf(agreeing), (nodes) => {
        const tree = buildTree(nodes);
        const total = tree.total(tree.top).usage;
        for (const { figures } of nodes) {
          for (const field of ["input_tokens", "output_tokens"] as const) {
            expect(total?.[field] ?? 0).toBeGreaterThanOrEqual(figures?.usage?.[field] ?? 0);
          }
        }
      }),
    );
  });

  it("do not change where no two spans name the same call", () => {
    fc.assert(
      fc.property(treesOf(figures), (nodes) => {
        const withCalls = (keyOf: (n: number) => string | null) =>
          nodes.map(({ figures, ...rest }, n): SpanNode => {
            const key = keyOf(n);
            const call = key === null ? undefined : { key, isCostSent: false };
            return { ...rest, figures: figures && { ...figures, call } };
          });
        const without = buildTree(withCalls(() => null));
        const unique = buildTree(withCalls((n) => `call ${n}`));
        for (const n of nodes.keys()) expect(unique.total(n)).toEqual(without.total(n));
      }),
    );
  });
});
