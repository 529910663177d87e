import { expect, test } from "vitest";
import { analytics, figures, group } from "./analytics.fixture.ts";
import { remainder, shownGroups } from "./shown-groups.ts";

const shop = group("shop", { count: 3 }, [{ count: 3 }]);
const desk = group("desk", { count: 2 }, [{ count: 2 }]);
const none = group(null, { count: 1 }, [{ count: 1 }]);

test("a group keeps its colour when the order changes", () => {
  const colours = (groups: (typeof shop)[]) =>
    Object.fromEntries(
      shownGroups(analytics({}, [{}], { groups })).map(({ label, paint }) => [label, paint.colour]),
    );
  expect(colours([shop, desk, none])).toEqual(colours([desk, none, shop]));
  expect(new Set(Object.values(colours([shop, desk, none]))).size).toBe(3);
});

test("traces without a value are a group that cannot be filtered by", () => {
  const [row] = shownGroups(analytics({}, [{}], { groups: [none] }));
  expect(row).toMatchObject({ label: "(none)", key: undefined });
});

test("a name is shown with its invisible characters, and filtered by unchanged", () => {
  const names = ["a\u202Eb", ""].map((name) => group(name, { count: 1 }, [{ count: 1 }]));
  expect(shownGroups(analytics({}, [{}], { groups: names }))).toMatchObject([
    { label: "a⟨202E⟩b", key: "a\u202Eb" },
    // An empty filter is none.
    { label: "(no name)", key: undefined },
  ]);
});

test("everything that the response left out is one more group", () => {
  const answer = analytics(
    { count: 10, errors: 2, cost: 0.3, tokens: { input: 5, output: 6, total: 11 } },
    [{ count: 10, errors: 2, cost: 0.3 }],
    {
      groups: [group("shop", { count: 7, errors: 2, cost: 0.1 }, [{ count: 7, errors: 1 }])],
      groups_left_out: 3,
    },
  );
  const other = shownGroups(answer).at(-1);
  expect(other).toMatchObject({
    label: "3 more",
    key: undefined,
    figures: { count: 3, errors: 0, tokens: { input: 5, output: 6, total: 11 }, latency: null },
    buckets: [{ count: 3, errors: 1 }],
  });
  expect(other?.figures.cost).toBeCloseTo(0.2);
});

test("the rest has no cost where none is known, and 0 where the groups have all of it", () => {
  const priced = (cost: number | null, count = 1) =>
    figures({ count, cost, with_cost: cost === null ? 0 : count });
  const left = (whole: ReturnType<typeof priced>, ...parts: readonly (number | null)[]) => {
    const { cost, with_cost } = remainder(
      whole,
      parts.map((part) => priced(part)),
    );
    return [cost, with_cost];
  };
  expect(left(priced(null), null)).toEqual([null, 0]);
  expect(left(priced(0.3, 2), 0.1, 0.2)).toEqual([null, 0]);
  expect(left(priced(0.3), null)).toEqual([0.3, 1]);
  // A call that is known to cost nothing is left: what the sums are off by is not its cost.
  expect(left(priced(0.3, 3), 0.1, 0.2)).toEqual([0, 1]);
});

test("the rest has the calls that are priced in full, and what they cost", () => {
  const whole = figures({ count: 5, cost: 3, with_cost: 4, priced: { count: 3, cost: 1.75 } });
  const part = figures({ count: 2, cost: 1, with_cost: 2, priced: { count: 1, cost: 0.25 } });
  expect(remainder(whole, [part])).toMatchObject({
    cost: 2,
    with_cost: 2,
    priced: { count: 2, cost: 1.5 },
  });
  expect(remainder(part, [part]).priced).toEqual({ count: 0, cost: null });
});

test("without groups there are none to show", () => {
  expect(shownGroups(analytics({ count: 4 }, [{ count: 4 }]))).toEqual([]);
});
