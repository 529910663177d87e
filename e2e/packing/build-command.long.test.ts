import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { Service } from "kubernetes-models/v1/Service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Ended, expectRefusal, runAgate } from "../run-agate.ts";
import { runInProcess } from "../run-in-process.ts";
import { followDockerfile, isHealthy } from "./follow-dockerfile.fixture.ts";
import { freePort } from "./free-port.fixture.ts";
import { ECHO, makeFolder, npm, packSdk, type UserFolder } from "./user-project.fixture.ts";

const INSTALL_MS = 120_000;

/** The kinds of objects, each with a check by Kubernetes' own schema. */
const KINDS = { Deployment, HorizontalPodAutoscaler, PodDisruptionBudget, Service };

let user: UserFolder;

beforeAll(async () => {
  user = await makeFolder({
    "app.ts": `${ECHO}
      import isOdd from "is-odd";
      export const odd = ag.route("/odd", EchoConfig)(async ({ n }: { n: number }) => isOdd(n));`,
    "plain.ts": ECHO,
  });
  const sdk = await packSdk(user.path);
  await user.write({
    "package.json": {
      name: "2.support_desk",
      type: "module",
      dependencies: { "@agate/sdk": `file:${sdk}`, "is-odd": "3.0.1" },
    },
  });
  await npm(user.path, "install");
}, INSTALL_MS);
afterAll(() => user[Symbol.asyncDispose]());

function build(...args: readonly string[]) {
  return runAgate(["build", ...args], { cwd: user.path });
}

/** The same in this process, which has another working folder. */
function buildTo(out: string, file: string, ...args: readonly string[]): Promise<Ended> {
  return runInProcess(["build", user.at(file), "--out", user.at(out), ...args]);
}

describe("agate build --target docker", () => {
  it(
    "makes an image's folder, whose instructions lead to a workflow that is well",
    async () => {
      const port = String(await freePort());
      const ended = await build(
        "app.ts",
        "--target",
        "docker",
        "--out",
        "image",
        "--port",
        port,
        "--json",
      );
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      expect(JSON.parse(ended.stdout)).toMatchObject({
        target: "docker",
        folder: user.at("image"),
        application: "2.support_desk",
        image: expect.stringMatching(/^2-support-desk:[0-9a-f]{12}$/),
        installs: [{ name: "is-odd", range: "3.0.1" }],
        files: [
          ".dockerignore",
          "Dockerfile",
          "app/agate-build.json",
          "app/app.js",
          "app/app.js.map",
          "app/package-lock.json",
          "app/package.json",
        ],
      });
      await using root = await makeFolder();
      const image = await followDockerfile(user.at("image"), root.path);
      expect(image).toMatchObject({ base: "node:24-slim", user: "node", exposed: port });
      expect(image.env).toMatchObject({
        NODE_ENV: "production",
        AGATE_APPLICATION: "2.support_desk",
      });
      const [program = "", ...args] = image.command;
      expect(program).toBe("node");
      const container = spawn(process.execPath, args, { cwd: image.folder, env: image.env });
      try {
        await expect.poll(() => isHealthy(image), { timeout: 20_000 }).toBe(true);
        const response = await fetch(`http://127.0.0.1:${port}/playground/run/odd`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ inputs: { n: 3 } }),
        });
        expect(await response.json()).toMatchObject({ data: true });
      } finally {
        container.kill("SIGTERM");
        await once(container, "exit");
      }
      expect(await isHealthy(image)).toBe(false);
    },
    INSTALL_MS,
  );

  it("installs nothing where everything is inside, and writes the same bytes again", async () => {
    for (const out of ["one", "two", "one"]) {
      expect((await buildTo(out, "plain.ts", "--target", "docker")).code).toBe(0);
    }
    const [one, two] = await Promise.all(["one", "two"].map((name) => contents(user.at(name))));
    expect(one).toEqual(two);
    expect(one?.get("Dockerfile")).not.toContain("npm");
    expect(one?.has("app/package-lock.json")).toBe(false);
  });

  it("says on standard error what it does, and on standard output what comes next", async () => {
    const { stdout, stderr } = await build("plain.ts", "--target", "docker", "--out", "said");
    expect(stderr).toMatch(/^✓ pack .*\n✓ write .*\n$/);
    expect(stdout).toMatch(
      /^Built 2\.support_desk in .*\n {2}docker build --tag 2-support-desk:[0-9a-f]{12} said\n/,
    );
  });
});

describe("agate build --target kubernetes", () => {
  const flags = [
    ...["--target", "kubernetes", "--base-url", "http://agate:4100/", "--environment", "staging"],
    ...["--env", "LOG=a=b", "--secret", "OPENAI_API_KEY", "--image", "registry.example:5000/desk"],
  ];
  let objects: ReadonlyMap<string, ManifestLike>;

  beforeAll(async () => {
    const ended = await buildTo("cluster", "app.ts", ...flags);
    expect(ended.code).toBe(0);
    const files = [...(await contents(user.at("cluster")))].filter(([name]) =>
      name.startsWith("k8s/"),
    );
    objects = new Map(files.map(([name, text]) => [name.slice("k8s/".length), parse(text)]));
  });

  it("writes objects that fit Kubernetes' schemas, and lists them for kustomize", () => {
    const { "kustomization.yaml": kustomization, ...rest } = Object.fromEntries(objects);
    expect(kustomization).toMatchObject({ resources: Object.keys(rest).toSorted() });
    expect(
      Object.values(rest)
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(Object.keys(KINDS).toSorted());
    for (const object of Object.values(rest)) expect(() => validate(object)).not.toThrow();
  });

  it.each([
    "deployment.yaml",
    "service.yaml",
    "horizontal-pod-autoscaler.yaml",
    "pod-disruption-budget.yaml",
  ])("would have been told by them, were %s wrong", (file) => {
    const object = objects.get(file)!;
    expect(() =>
      validate({ ...object, spec: { ...object.spec, selector: 1, maxReplicas: "many" } }),
    ).toThrow();
  });

  it("runs the workflow without rights, with its secrets by reference", () => {
    const { spec } = objects.get("deployment.yaml")!.spec.template;
    const [container] = spec.containers;
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(container.image).toMatch(/^registry\.example:5000\/desk:[0-9a-f]{12}$/);
    const key = (name: string) => ({
      name,
      valueFrom: { secretKeyRef: { name: "app-2-support-desk-secrets", key: name } },
    });
    expect(container.env).toEqual([
      { name: "AGATE_APPLICATION", value: "2.support_desk" },
      { name: "AGATE_LISTEN", value: "tcp:0.0.0.0:4101" },
      { name: "AGATE_BASE_URL", value: "http://agate:4100" },
      { name: "AGATE_ENVIRONMENT", value: "staging" },
      { name: "LOG", value: "a=b" },
      key("AGATE_API_KEY"),
      key("OPENAI_API_KEY"),
    ]);
  });

  it("lets go of a pod only when another one answers and its own calls are over", () => {
    const { strategy, template } = objects.get("deployment.yaml")!.spec;
    const [container] = template.spec.containers;
    expect(strategy.rollingUpdate.maxUnavailable).toBe(0);
    const sleep = Number(container.lifecycle.preStop.exec.command[1]);
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(sleep + 30);
    for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
      expect(container[probe].httpGet).toEqual({ path: "/health", port: "http" });
    }
  });

  it("names the same pods everywhere", () => {
    const labels = objects.get("deployment.yaml")!.spec.template.metadata.labels;
    expect(objects.get("service.yaml")!.spec.selector).toEqual(labels);
    expect(objects.get("pod-disruption-budget.yaml")!.spec.selector.matchLabels).toEqual(labels);
    const { name } = objects.get("deployment.yaml")!.metadata;
    expect(name).toBe("app-2-support-desk");
    expect(objects.get("horizontal-pod-autoscaler.yaml")!.spec.scaleTargetRef.name).toBe(name);
  });

  it("takes an agate.config.json instead of a platform, and puts it into the image", async () => {
    const args = ["from-file", "plain.ts", "--target", "kubernetes"] as const;
    expectFailure(
      await buildTo(...args),
      "--base-url http://agate:4100, or put an agate.config.json",
    );
    await user.write({ "agate.config.json": { variants: {} } });
    const { code } = await buildTo(...args);
    expect(code).toBe(0);
    const files = await contents(user.at("from-file"));
    expect(files.get("k8s/deployment.yaml")).not.toContain("secret");
    expect(files.has("app/agate.config.json")).toBe(true);
  });
});

describe("agate build refuses", () => {
  it.each([
    ["no target", ["plain.ts"], "--target"],
    ["another target", ["plain.ts", "--target", "lambda"], "docker, kubernetes"],
    [
      "a platform on this machine",
      ["plain.ts", "--target", "kubernetes", "--base-url", "http://localhost:4100"],
      "the container itself",
    ],
    [
      "what is no URL",
      ["plain.ts", "--target", "kubernetes", "--base-url", "agate:4100"],
      "http://agate:4100",
    ],
    [
      "variables for Docker",
      ["plain.ts", "--target", "docker", "--env", "A=1"],
      "--env is for --target kubernetes",
    ],
    [
      "a variable that has an option",
      ["plain.ts", "--target", "kubernetes", "--env", "AGATE_LISTEN=x"],
      "Use --port",
    ],
    [
      "a variable without a value",
      ["plain.ts", "--target", "kubernetes", "--env", "A"],
      "NAME=value",
    ],
    [
      "a variable that is given twice",
      ["plain.ts", "--target", "kubernetes", "--env", "A=1", "--secret", "A"],
      "A is given by --env and by --secret",
    ],
    [
      "an image with capital letters",
      ["plain.ts", "--target", "docker", "--image", "Desk"],
      "registry.example/support:1.4.0",
    ],
    [
      "an application that is no slug",
      ["plain.ts", "--target", "docker", "--app", "My App"],
      "--app must be lower-case letters",
    ],
    [
      "a port that needs rights",
      ["plain.ts", "--target", "docker", "--port", "80"],
      "1024 to 65535",
    ],
  ])("%s, as wrong usage", async (_, args, reason) => {
    expectRefusal(await runInProcess(["build", ...args]), 2, reason);
  });

  it("a folder that another program has written", async () => {
    await user.write({ "mine/notes.txt": "keep" });
    const args = ["plain.ts", "--target", "docker"] as const;
    expectFailure(await buildTo("mine", ...args), "is not empty");
    expectFailure(await buildTo("plain.ts", ...args), "is a file");
    expect(await readFile(user.at("mine/notes.txt"), "utf8")).toBe("keep");
  });

  it("an application that the environment names wrongly: it would be written into the Dockerfile", async () => {
    const args = ["build", "plain.ts", "--target", "docker", "--out", "none", "--json"];
    const env = { ...process.env, AGATE_APPLICATION: "a\nRUN true" };
    const failure = await runAgate(args, { cwd: user.path, env });
    expect(failure).toMatchObject({ code: 1 });
    expect(JSON.parse(failure.stderr).error.message).toContain("which is no slug");
  });

  it("code that is wrong, with its line, and writes nothing", async () => {
    await user.write({ "wrong.ts": "const = 1;\n" });
    const { code, stdout, stderr } = await build("wrong.ts", "--target", "docker", "--out", "none");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(
      "agate: wrong.ts cannot be packed:\nwrong.ts:1:7: Expected identifier",
    );
    const asJson = await buildTo("none", "wrong.ts", "--target", "docker", "--json");
    expect(JSON.parse(asJson.stderr).error.message).toContain("wrong.ts:1:7: Expected identifier");
    expect(await readdir(user.path)).not.toContain("none");
  });
});

/** It said in one line why it could not go on, after the lines of what it had done. */
function expectFailure({ code, stdout, stderr }: Ended, reason: string): void {
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^(?:[✓✗] .*\n)+agate: [^\n]+\.\n$/);
  expect(stderr).toContain(reason);
}

interface ManifestLike {
  readonly apiVersion: string;
  readonly kind: keyof typeof KINDS;
  // biome-ignore lint/suspicious/noExplicitAny: any object of Kubernetes'.
  readonly [field: string]: any;
}

function validate(object: ManifestLike): void {
  const Kind = KINDS[object.kind];
  // biome-ignore lint/suspicious/noExplicitAny: what it really is is what is checked.
  new Kind(object as any).validate();
}

async function contents(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const named = files.map(async ({ parentPath, name }) => {
    const file = join(parentPath, name);
    return [file.slice(folder.length + 1), await readFile(file, "utf8")] as const;
  });
  return new Map((await Promise.all(named)).toSorted());
}
