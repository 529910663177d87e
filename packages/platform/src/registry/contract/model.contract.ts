import type { Deployment } from "@agate/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { RegistryOutcome } from "../registry-outcome.ts";
import type { Operation } from "./registry-model.fixture.ts";
import { RegistryModel } from "./registry-model.fixture.ts";
import type { Subject } from "./subject.fixture.ts";
import { BY_TESTS, deploymentOf, done } from "./subject.fixture.ts";

// "default" is made by a deploy of code alone where nothing is live.
const VARIANTS = ["a", "b", "c", "default"];
const ENVIRONMENTS = ["staging", "production", "canary"];

/** So that there is something to begin with. */
const BEGINNING: readonly Operation[] = [
  { do: "create variant", variant: "a" },
  { do: "commit", variant: "a", off: 0, params: {} },
  { do: "commit", variant: "a", off: 0, params: { "/": { a: 2 } } },
  { do: "fork", variant: "a", revision: 1, to: "b" },
  { do: "deploy", environment: "staging", variant: "a", revision: 1 },
  { do: "deploy", environment: "staging", variant: "b", revision: 1 },
];

// The first of each more often: long histories of a few are what goes wrong.
const variant = fc.constantFrom("a", "a", "a", ...VARIANTS);
const environment = fc.constantFrom("staging", "staging", "staging", ...ENVIRONMENTS);
const revision = fc.option(fc.integer({ min: 1, max: 3 }));
const params = fc.dictionary(
  fc.constantFrom("/", "/x"),
  fc.dictionary(fc.constantFrom("a", "b"), fc.jsonValue({ maxDepth: 1 })),
);
const parts = fc.constantFrom("both", "both", "code", "config");
const whole = <Do extends Operation["do"]>(name: Do) => fc.constant(name);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: whole("create variant"), variant }) },
  fc.record({ do: whole("delete variant"), variant }),
  fc.record({ do: whole("rename variant"), variant, to: variant }),
  {
    weight: 6,
    arbitrary: fc.record({
      do: whole("commit"),
      variant,
      off: fc.constantFrom(0, 0, 0, 1, -1),
      params: params.map((value) => JSON.parse(JSON.stringify(value))),
    }),
  },
  fc.record({ do: whole("fork"), variant, revision, to: variant }),
  fc.record({ do: whole("create environment"), environment }),
  fc.record({ do: whole("delete environment"), environment }),
  fc.record({ do: whole("rename environment"), environment, to: environment }),
  { weight: 6, arbitrary: fc.record({ do: whole("deploy"), environment, variant, revision }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: whole("promote"), environment, from: environment, parts }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: whole("roll back"),
      environment,
      entry: fc.option(fc.integer({ min: 0, max: 3 })),
      parts,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: whole("take down"), environment }) },
);

export function describeModel(subject: Subject): void {
  it("agrees with the model after any operations in any order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60, size: "max" }), async (more) => {
        await subject.freshProject();
        const { id } = done(await subject.registry.applications.create(subject.project, "support"));
        let announced = 0;
        await subject.settle();
        const stop = subject.registry.changes.subscribe(id, () => announced++);
        const model = new RegistryModel();
        let before = resolutionsOf(model);
        for (const next of [...BEGINNING, ...more]) {
          announced = 0;
          const outcome = await perform(subject, model, next);
          await subject.settle();
          const expected = model.apply(next);
          expect(outcome.kind === "done" ? "done" : outcome.problems[0].type).toBe(expected);
          if (outcome.kind === "done") noteDeployment(model, outcome.value);
          const after = resolutionsOf(model);
          expect(await resolutionsIn(subject)).toEqual(after);
          if (JSON.stringify(after) !== JSON.stringify(before)) expect(announced).toBe(1);
          if (expected !== "done") expect(announced).toBe(0);
          before = after;
        }
        stop();
        await expectRevisions(subject, model);
        await expectHistories(subject, model);
      }),
      { numRuns: subject.histories },
    );
  }, 120_000);
}

/** What every name that the operations use resolves to. */
function resolutionsOf(model: RegistryModel): string[] {
  return [
    ...ENVIRONMENTS.map((slug) => model.liveIn(slug)),
    ...VARIANTS.map((slug) => model.latestOf(slug)),
  ];
}

function resolutionsIn(subject: Subject): Promise<string[]> {
  return Promise.all([
    ...ENVIRONMENTS.map((slug) => subject.live(slug)),
    ...VARIANTS.map((slug) => subject.resolved({ kind: "variant", variant: slug, revision: null })),
  ]);
}

async function perform(
  subject: Subject,
  model: RegistryModel,
  operation: Operation,
): Promise<RegistryOutcome<unknown>> {
  const { registry, app } = subject;
  switch (operation.do) {
    case "create variant":
      return registry.variants.create(app, operation.variant);
    case "delete variant":
      return registry.variants.delete(app, operation.variant);
    case "rename variant":
      return registry.variants.rename(app, operation.variant, operation.to);
    case "commit": {
      const latest = model.variant(operation.variant)?.revisions.length ?? 0;
      const commit = { params: operation.params, baseRevision: latest + operation.off };
      return registry.revisions.commit(app, operation.variant, { ...BY_TESTS, ...commit });
    }
    case "fork":
      return registry.variants.fork(app, operation, operation.to, BY_TESTS);
    case "create environment":
      return registry.environments.create(app, operation.environment);
    case "delete environment":
      return registry.environments.delete(app, operation.environment);
    case "rename environment":
      return registry.environments.rename(app, operation.environment, operation.to);
    case "deploy": {
      const { environment, variant, revision } = operation;
      return subject.deploy(environment, variant, revision);
    }
    case "promote": {
      const { environment, from, parts } = operation;
      const promotion = { kind: "promotion", environment, from, parts, expect: null } as const;
      return deploymentOf(await subject.change(promotion));
    }
    case "roll back": {
      const { environment, entry, parts } = operation;
      const history = model.environment(environment)?.history ?? [];
      const deployment = entry === null ? null : (history[entry]?.id ?? "dep_none");
      const rollback = { kind: "rollback", environment, deployment, parts } as const;
      return deploymentOf(await subject.change(rollback));
    }
    case "take down":
      return registry.deployments.takeDown(app, operation.environment);
  }
}

/** Tells the model what the registry called a new deployment. */
function noteDeployment(model: RegistryModel, value: unknown): void {
  const { id, environment } = value as Partial<Deployment>;
  const latest = model.environment(environment ?? "")?.history.at(-1);
  if (latest?.id === "" && id !== undefined) latest.id = id;
}

async function expectRevisions({ registry, app }: Subject, model: RegistryModel): Promise<void> {
  for (const { slug, revisions } of model.variants) {
    for (const [index, params] of revisions.entries()) {
      const kept = done(await registry.revisions.get(app, slug, index + 1));
      expect(kept.params).toEqual(params);
      const here = `${slug}@${index + 1}`;
      const environments = model.environments.map((environment) => environment.slug);
      expect(kept.environments).toEqual(environments.filter((name) => model.liveIn(name) === here));
    }
  }
}

async function expectHistories({ registry, app }: Subject, model: RegistryModel): Promise<void> {
  const page = { limit: 100, before: null };
  for (const { slug, history, isLive } of model.environments) {
    const { items } = done(await registry.deployments.list(app, slug, page));
    expectSameBuilds(items, history.toReversed());
    expect(items.map((item) => [item.id, item.variant.slug, item.variant.revision])).toEqual(
      history
        .map(({ id, variant, slugThen, revision }) => [
          id,
          variant.isDeleted ? slugThen : variant.slug,
          revision,
        ])
        .reverse(),
    );
    for (const [index, { deployed_at, ended_at }] of items.entries()) {
      const next = items[index - 1];
      if (next === undefined) expect(ended_at === null).toBe(isLive);
      else if (history.at(-1 - index)?.wasTakenDown)
        expect(ended_at! < next.deployed_at).toBe(true);
      else expect(ended_at).toBe(next.deployed_at);
      // Times tell the order here.
      expect(ended_at === null || ended_at > deployed_at).toBe(true);
    }
  }
}

/** The same builds in the same places, whatever they are called. */
function expectSameBuilds(
  items: readonly Deployment[],
  history: readonly { readonly build: number }[],
): void {
  const first = <Value>(values: readonly Value[]) => values.map((each) => values.indexOf(each));
  expect(first(items.map(({ build }) => build?.id))).toEqual(
    first(history.map(({ build }) => build)),
  );
}
