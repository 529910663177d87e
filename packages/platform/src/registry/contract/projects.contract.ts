import { describe, expect, it } from "vitest";
import type { Subject } from "./subject.fixture.ts";
import { done, problem } from "./subject.fixture.ts";

export function describeProjects(subject: Subject): void {
  describe("projects", () => {
    it("has the default project from the beginning, and keeps it", async () => {
      const { projects } = subject.registry;
      expect(done(await projects.get("default"))).toMatchObject({ id: "default", slug: "default" });
      expect(problem(await projects.delete("default"))).toMatchObject({
        type: "not_empty",
        loc: ["path", "project"],
      });
      expect(await projects.list()).toContainEqual(done(await projects.get("default")));
    });

    it("finds one by slug and by id, also after it was renamed", async () => {
      const { projects } = subject.registry;
      const made = done(await projects.create(subject.unusedSlug()));
      expect(made.id).toMatch(/^prj_[a-z2-7]{20}$/);
      const slug = subject.unusedSlug();
      const renamed = done(await projects.rename(made.slug, slug));
      expect(renamed).toEqual({ ...made, slug });
      expect(done(await projects.get(slug))).toEqual(renamed);
      expect(done(await projects.get(made.id))).toEqual(renamed);
      expect(problem(await projects.get(made.slug))).toEqual({
        type: "project_not_found",
        loc: ["path", "project"],
        msg: `There is no project "${made.slug}".`,
      });
    });

    it("keeps slugs apart, and the default project's id from becoming another's slug", async () => {
      const { projects } = subject.registry;
      const slug = subject.unusedSlug();
      done(await projects.create(slug));
      expect(problem(await projects.create(slug)).type).toBe("slug_taken");
      expect(problem(await projects.create("No Slug")).type).toBe("slug_invalid");
      const other = done(await projects.create(subject.unusedSlug()));
      expect(problem(await projects.rename(other.id, slug)).type).toBe("slug_taken");
      expect(done(await projects.rename(other.id, other.slug))).toEqual(other);

      const main = subject.unusedSlug();
      done(await projects.rename("default", main));
      expect(problem(await projects.create("default")).type).toBe("slug_taken");
      expect(done(await projects.get("default")).slug).toBe(main);
      done(await projects.rename(main, "default"));
    });

    it("deletes one that is empty, and no other", async () => {
      const { projects, applications } = subject.registry;
      await subject.freshProject();
      done(await applications.create(subject.project, "support"));
      expect(problem(await projects.delete(subject.project))).toMatchObject({
        type: "not_empty",
        msg: expect.stringContaining('has applications, "support" for one'),
      });
      done(await applications.delete(subject.app));
      done(await projects.delete(subject.project));
      expect(problem(await projects.get(subject.project)).type).toBe("project_not_found");
      expect(problem(await applications.create(subject.project, "support")).type).toBe(
        "project_not_found",
      );
    });

    it.each(["", "a\0b", "'; drop table projects", "x".repeat(10_000), "__proto__"])(
      "does not find %j",
      async (name) => {
        expect(problem(await subject.registry.projects.get(name)).type).toBe("project_not_found");
      },
    );
  });
}
