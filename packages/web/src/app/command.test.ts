import type { Application } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { commandsFor } from "./command.ts";

const app = (slug: string, routes: readonly string[] | null): Application => ({
  id: `app_${slug}`,
  slug,
  created_at: "2026-11-15T10:00:00.000Z",
  routes,
  build: null,
});
const APPS = [app("support", ["/", "/summarize"]), app("search", null)];
const labels = (typed: string) => commandsFor(typed, APPS).map(({ label }) => label);

describe("commands", () => {
  it("are all pages, applications and routes while the input is empty", () => {
    expect(labels("")).toEqual([
      "Dashboard",
      "Playground",
      "Traces",
      "Test sets",
      "Runs",
      "Applications",
      "support",
      "support /",
      "support /summarize",
      "search",
    ]);
  });

  it("start with prefix matches, and end with a search", () => {
    expect(labels("s")[0]).toBe("support");
    expect(labels("summ")).toEqual(["support /summarize", "Search traces for “summ”"]);
    expect(labels("trac").at(0)).toBe("Traces");
  });

  it("match letters in order", () => {
    expect(labels("sprtsum")[0]).toBe("support /summarize");
  });

  it("open a trace by its id, with or without dashes, and a span by 16 digits", () => {
    const id = "0af7651916cd43dd8448eb211c80319c";
    expect(commandsFor(` ${id} `, APPS).map(({ destination }) => destination)).toEqual([
      { to: "/traces/$traceId", traceId: id },
    ]);
    expect(labels("0af76519-16cd-43dd-8448-eb211c80319c")).toHaveLength(1);
    expect(commandsFor("b7ad6b7169203331", APPS)[0]?.destination).toEqual({
      to: "span",
      spanId: "b7ad6b7169203331",
    });
  });
});
