import { expect, it } from "vitest";
import { summarizeDocument } from "../schema/workflow-document.fixture.ts";
import type { Subject } from "./subject.fixture.ts";
import { done } from "./subject.fixture.ts";

export function describeReopening(subject: Subject): void {
  it("has everything after it was closed and opened again", async () => {
    await subject.freshApplication({ "/summarize": { temperature: 0.5 } });
    const document = await summarizeDocument(1);
    const options = { environment: null, by: "tests" };
    done(await subject.registry.applications.putSchema(subject.app, document, options));
    done(await subject.deploy("production", "default"));
    done(await subject.registry.projects.rename("default", "renamed"));
    const everything = async () => {
      const { registry, app } = subject;
      return [
        await registry.projects.list(),
        await registry.applications.list(subject.project),
        await registry.applications.schema(app),
        await registry.variants.list(app),
        await registry.environments.list(app),
        await registry.deployments.list(app, null, { limit: 10, before: null }),
        await registry.revisions.get(app, "default", null),
      ];
    };
    const before = await everything();
    await subject.registry.close();
    await subject.open();
    expect(await everything()).toEqual(before);
    done(await subject.registry.projects.rename("default", "default"));
  });
}
