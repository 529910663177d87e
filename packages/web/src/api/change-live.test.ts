import { describe, expect, it } from "vitest";
import { ApiError, UnreachableError } from "./api-error.ts";
import { changeLive, type LiveChange } from "./change-live.ts";

const promote: LiveChange = { kind: "promote", from: "staging", expect: "dep_1", parts: "both" };

/** A platform that answers every request with these events. */
function platform(events: readonly (readonly [string, unknown])[]) {
  const asked: unknown[] = [];
  const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  const open = async (method: string, path: string, body: unknown) => {
    asked.push([method, path, body]);
    return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
  };
  return { client: { open }, asked };
}

async function change(
  events: readonly (readonly [string, unknown])[],
  asked: LiveChange = promote,
  allowsBreaking = false,
) {
  const { client, asked: requests } = platform(events);
  const steps: unknown[] = [];
  const options = { message: "", allowsBreaking, onStep: (step: unknown) => steps.push(step) };
  const done = changeLive(client, "my app", "production", asked, options);
  const result = await done.catch((error: unknown) => error);
  return { result, steps, requests };
}

const deployed = ["deployed", { deployment: { id: "dep_2" } }] as const;

describe("changeLive", () => {
  it("tells the steps, and what is live at the end", async () => {
    const step = { step: "start", state: "begun", detail: "" };
    const { result, steps } = await change([["step", step], deployed]);
    expect(steps).toEqual([step]);
    expect(result).toEqual({ deployment: { id: "dep_2" } });
  });

  it("fails as the same request without steps does, with what the build printed", async () => {
    const detail = [{ type: "deployment_stale", loc: ["body", "expect"], msg: "Another." }];
    const { result } = await change([["refused", { status: 409, detail, log: ["Oh."] }]]);
    expect(result).toBeInstanceOf(ApiError);
    expect(result).toMatchObject({ status: 409, message: "Another.", body: { log: ["Oh."] } });
    expect((result as ApiError).has("deployment_stale")).toBe(true);
  });

  it("says that it does not know the end where the stream breaks off", async () => {
    const { result } = await change([["step", { step: "start", state: "begun", detail: "" }]]);
    expect(result).toBeInstanceOf(UnreachableError);
  });

  const there = "/registry/applications/my%20app/environments/production";
  const both = { kind: "rollback", deployment: "dep_0", parts: "both" } as const;
  it.each<[LiveChange, string, object]>([
    [promote, `${there}/promote`, { from: "staging", expect: "dep_1" }],
    [
      { ...promote, parts: "code" },
      `${there}/promote`,
      { from: "staging", expect: "dep_1", code_only: true },
    ],
    [both, `${there}/rollback`, { deployment: "dep_0" }],
    [{ ...both, parts: "config" }, `${there}/rollback`, { deployment: "dep_0", config_only: true }],
    [
      { kind: "activate", build: 3 },
      "/registry/applications/my%20app/builds/3/activate",
      { environment: "production" },
    ],
    [
      { kind: "deploy", variant: "default", revision: 2 },
      `${there}/deployments`,
      { variant: "default", revision: 2 },
    ],
  ])("asks for %j", async (asked, path, body) => {
    const { requests } = await change([deployed], asked);
    expect(requests).toEqual([["POST", path, { ...body, message: "" }]]);
  });

  it("allows what breaks only where it is told to, and where something can break", async () => {
    const bodyOf = async (asked: LiveChange, allows: boolean) =>
      ((await change([deployed], asked, allows)).requests[0] as readonly unknown[])[2];
    expect(await bodyOf(promote, false)).not.toHaveProperty("allow_breaking");
    expect(await bodyOf(promote, true)).toMatchObject({ allow_breaking: true });
    const deploy: LiveChange = { kind: "deploy", variant: "default", revision: 2 };
    expect(await bodyOf(deploy, true)).not.toHaveProperty("allow_breaking");
  });
});
