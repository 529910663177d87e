import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPattern, MOST_STEPS } from "./custom-pattern.ts";
import { replaceFound } from "./found.ts";
import { readRules } from "./read-rules.ts";

function reasonOf(regex: string): string {
  const checked = checkPattern(regex);
  return checked.kind === "refused" ? checked.reason : "";
}

describe("checkPattern", () => {
  it.each([
    ["EMP-\\d{6}", "by EMP-123456.", "by X."],
    ["cust_[A-Za-z0-9]+", "cust_aZ09, cust_", "X, cust_"],
    ["\\b\\d{3}-\\d{2}-\\d{4}\\b", "123-45-6789 1123-45-6789", "X 1123-45-6789"],
    ["(?:red|blue) team( \\d{1,3})?", "blue team 12", "X"],
    ["[ä-ü]{2,}", "öüä", "X"],
  ])("takes %s and finds it", (regex, text, expected) => {
    const checked = checkPattern(regex);
    if (checked.kind === "refused") throw new Error(checked.reason);
    expect(replaceFound(text, checked.find, "X")).toBe(expected);
  });

  it.each([
    ["(a+)+", "A group cannot be repeated with +"],
    ["(a+){1,5}b", "only supported at the very end"],
    ["a*b", "only supported at the very end"],
    ["(a|aa){1,30}c", "steps at each character"],
    ["a{0,100}a{0,100}b", "steps at each character"],
    ["(x{1,100}){1,100}", "steps at each character"],
    ["a*", "matches the empty text"],
    ["a?", "matches the empty text"],
    ["^a", "^ and $ are not supported"],
    ["(?=a)b", "Only plain groups"],
    ["(a)\\1", "\\1 is not supported"],
    ["a+?", "Lazy quantifiers"],
    ["(a", "A ( has no ) after it"],
    ["a)", "A ) has no ( before it"],
    ["[a", "A [ has no ] after it"],
    ["[b-a]", "out of order"],
    ["x".repeat(201), "more than 200 characters"],
    ["+", "nothing before +"],
  ])("refuses %s", (regex, reason) => {
    expect(reasonOf(regex)).toContain(reason);
  });

  it("is on the safe side of its limit of steps, and not on the other", () => {
    expect(reasonOf(`a{${MOST_STEPS}}`)).toBe("");
    expect(reasonOf(`a{${MOST_STEPS + 1}}`)).toContain("steps at each character");
    const half = `a{${MOST_STEPS / 2}}`;
    const custom = (regex: string) => ({
      custom: [
        { name: "a", regex: half },
        { name: "b", regex },
      ],
    });
    expect(readRules(custom(half)).kind).toBe("rules");
    expect(readRules(custom(`${half}a`))).toMatchObject({
      problems: [{ path: ["custom"], msg: expect.stringContaining("Together they may take 401") }],
    });
  });

  it("counts no fewer steps than a backtracking matcher takes", () => {
    // A small alphabet, so that everything matches in many ways.
    const { part } = fc.letrec<{ part: string; sequence: string }>((tie) => ({
      part: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom("a", "[ab]", "."),
        fc
          .tuple(fc.constantFrom("a", "[ab]"), fc.constantFrom("?", "{0,3}", "{1,4}", "{2}"))
          .map((two) => two.join("")),
        fc
          .tuple(tie("sequence"), fc.constantFrom("", "?", "{0,2}", "{1,3}"))
          .map(([inner, times]) => `(${inner})${times}`),
        fc.tuple(tie("sequence"), tie("sequence")).map(([one, other]) => `(${one}|${other})`),
      ),
      sequence: fc
        .array(tie("part"), { minLength: 1, maxLength: 3 })
        .map((parts) => parts.join("")),
    }));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const regex = parts.join("");
        const checked = checkPattern(regex);
        if (checked.kind === "refused") return;
        const steps = backtrackingSteps(regex, "a".repeat(40));
        expect(steps).toBeLessThanOrEqual(checked.steps);
      }),
      { numRuns: 500 },
    );
  });
});

/** Characters that are compared until every way to match at the beginning of a text has been tried. */
function backtrackingSteps(regex: string, text: string): number {
  let steps = 0;
  let at = 0;
  type Next = (position: number) => void;
  type Node = (position: number, next: Next) => void;
  const character: Node = (position, next) => {
    steps++;
    if (position < text.length) next(position + 1);
  };
  const times =
    (node: Node, from: number, to: number): Node =>
    (position, next) => {
      if (to === 0) return next(position);
      const more = times(node, Math.max(0, from - 1), to - 1);
      node(position, (after) => more(after, next));
      if (from === 0) next(position);
    };
  const alternatives = (): Node => {
    const all = [sequence()];
    while (regex[at] === "|") {
      at++;
      all.push(sequence());
    }
    return (position, next) => {
      for (const one of all) one(position, next);
    };
  };
  const sequence = (): Node => {
    const nodes: Node[] = [];
    while (at < regex.length && !"|)".includes(regex[at] ?? "")) nodes.push(quantified());
    return nodes.reduce<Node>(
      (first, second) => (position, next) => first(position, (after) => second(after, next)),
      (position, next) => next(position),
    );
  };
  const quantified = (): Node => {
    let node = character;
    if (regex[at] === "(") {
      at++;
      node = alternatives();
      at++;
    } else at += regex[at] === "[" ? "[ab]".length : 1;
    const [quantifier, from, , to] = /^(?:\?|\{(\d)(,(\d))?\})/.exec(regex.slice(at)) ?? [""];
    at += quantifier.length;
    if (quantifier === "") return node;
    if (quantifier === "?") return times(node, 0, 1);
    return times(node, Number(from), Number(to ?? from));
  };
  alternatives()(0, () => {});
  return steps;
}
