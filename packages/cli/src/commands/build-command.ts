import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { BUILD_MANIFEST_FILE, isSlug } from "@agate/protocol";
import { Command, Option } from "commander";
import type { PackedBuild } from "../packing/pack-app.ts";
import { printableLine } from "../terminal/printable.ts";
import { silentProgress, startProgress } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";
import {
  type BuildFlags,
  checkBuildFlags,
  collectSecret,
  collectVariable,
  parseContainerPort,
  parseImage,
  parsePlatformUrl,
  TARGETS,
} from "./build-flags.ts";
import { examples, HEADINGS } from "./client/command-help.ts";
import { CommandFailure } from "./client/failures.ts";
import { collect } from "./client/option-values.ts";
import { onThisMachine } from "./on-this-machine.ts";

interface Session {
  readonly flags: BuildFlags;
  readonly terminal: Terminal;
}

/** `agate build`: a folder ready to run elsewhere. */
export function buildCommand(): Command {
  const command = new Command("build")
    .description("Build a workflow for Docker or Kubernetes.")
    .helpGroup(HEADINGS.deploy)
    .argument("<file>", "the file that declares the routes: app.ts")
    .addOption(
      new Option("--target <target>", "target platform").choices(TARGETS).makeOptionMandatory(),
    )
    .option("--out <folder>", "output folder", "agate-build")
    .option(
      "--app <name>",
      "the application (default: $AGATE_APPLICATION, else the package's name)",
    )
    .option("--image <name>", "the image (default: the application, tagged by content)", parseImage)
    .option("--port <number>", "port that the workflow listens on", parseContainerPort, 4101)
    .option(
      "--include <pattern>",
      "files that the program reads at run time, relative to its project (repeatable)",
      collect,
    )
    .option(
      "--base-url <url>",
      "kubernetes: address of the platform inside the cluster",
      parsePlatformUrl,
    )
    .option("--environment <slug>", "kubernetes: default environment of calls")
    .option("--env <name=value>", "kubernetes: environment variable (repeatable)", collectVariable)
    .option(
      "--secret <name>",
      "kubernetes: environment variable from the Secret (repeatable)",
      collectSecret,
    )
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      examples(
        "agate build app.ts --target docker",
        "agate build app.ts --target kubernetes --base-url http://agate:4100 --image registry.example/support:1.4.0 --secret OPENAI_API_KEY",
      ),
    );
  return onThisMachine(command, runBuild);
}

async function runBuild({ flags, terminal }: Session, file: string): Promise<void> {
  checkBuildFlags(flags);
  using progress = flags.json ? silentProgress : startProgress(terminal, "write".length);
  progress.begin("pack", file);
  const build = await pack({ flags, terminal }, file);
  progress.done();
  if (flags.target === "kubernetes") expectConfiguration(flags, build);
  const image = imageOf(flags, build);
  const files = await targetFiles(flags, build, image);
  progress.begin("write", flags.out);
  const { writeTarget } = await import("../packing/targets/write-target.ts");
  const written = await writeTarget(resolve(flags.out), files);
  if (written.kind === "refused") throw new CommandFailure(written.reason);
  progress.done();
  if (flags.json) {
    terminal.print(JSON.stringify(await documentOf(flags, build, image, [...files.keys()])));
  } else {
    await printNextSteps({ flags, terminal }, build, image);
  }
}

async function pack({ flags, terminal }: Session, file: string): Promise<PackedBuild> {
  // Loaded here: the bundler is a program of its own, which most commands do without.
  const { packApp } = await import("../packing/pack-app.ts");
  const { formatProblems, problemLine } = await import("../packing/code-problem.ts");
  const outcome = await packApp(file, { application: flags.app, include: flags.include });
  if (outcome.kind === "refused") throw new CommandFailure(outcome.reason);
  if (outcome.kind !== "packed") {
    const { problems } = outcome;
    // JSON has the message alone.
    const reasons = flags.json ? ` ${problems.map(problemLine).join("; ")}` : "";
    const lines = formatProblems(problems, terminal.paintNote).trimEnd().split("\n");
    throw new CommandFailure(`${file} cannot be packed:${reasons}`, lines);
  }
  const { application } = outcome.manifest;
  if (!isSlug(application)) {
    throw new CommandFailure(
      `AGATE_APPLICATION is ${JSON.stringify(application)}, which is no slug: take lower-case letters and digits, with single "-", "_" or "." between them. Or use --app.`,
    );
  }
  if (outcome.warnings.length > 0) {
    terminal.note(formatProblems(outcome.warnings, terminal.paintNote).trimEnd());
  }
  return outcome;
}

/** A deployed call needs a configuration, from the platform or from the file. */
function expectConfiguration({ baseUrl }: BuildFlags, { files }: PackedBuild): void {
  if (baseUrl !== undefined || files.has("agate.config.json")) return;
  throw new CommandFailure(
    "The workflow would have no configuration source. Name the platform as the cluster reaches it, --base-url http://agate:4100, or put an agate.config.json beside package.json.",
  );
}

/** Without a tag, the image is tagged by what is in it: another build is another image. */
function imageOf({ image }: BuildFlags, { manifest, files }: PackedBuild): string {
  const name = image ?? manifest.application.replaceAll(/[^a-z0-9]+/g, "-");
  if (/@|:[^/]+$/.test(name)) return name;
  const content = createHash("sha256").update(files.get(BUILD_MANIFEST_FILE) ?? "");
  return `${name}:${content.digest("hex").slice(0, 12)}`;
}

async function targetFiles(
  flags: BuildFlags,
  build: PackedBuild,
  image: string,
): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const { dockerFiles } = await import("../packing/targets/docker-files.ts");
  const docker = dockerFiles(build, flags);
  if (flags.target === "docker") return docker;
  const { kubernetesFiles } = await import("../packing/targets/kubernetes-objects.ts");
  const { baseUrl, environment, env = new Map(), port } = flags;
  const { application } = build.manifest;
  const variables = {
    ...(baseUrl !== undefined && { AGATE_BASE_URL: baseUrl }),
    ...(environment !== undefined && { AGATE_ENVIRONMENT: environment }),
    ...Object.fromEntries(env),
  };
  const cluster = { application, image, port, variables, secrets: secretsOf(flags) };
  return new Map([...docker, ...kubernetesFiles(cluster)]);
}

/** The variables whose values are in the Secret. */
function secretsOf({ baseUrl, secret = [] }: BuildFlags): readonly string[] {
  return [...(baseUrl === undefined ? [] : ["AGATE_API_KEY"]), ...secret];
}

async function documentOf(
  flags: BuildFlags,
  { manifest, packages }: PackedBuild,
  image: string,
  files: readonly string[],
): Promise<object> {
  const { secretName } = await import("../packing/targets/kubernetes-objects.ts");
  const { target, out } = flags;
  const secrets = secretsOf(flags);
  return {
    target,
    folder: resolve(out),
    application: manifest.application,
    image,
    sdk_version: manifest.sdk_version,
    installs: packages.map(({ name, range }) => ({ name, range })),
    secret: secrets.length === 0 ? null : { name: secretName(manifest.application), keys: secrets },
    files: files.toSorted(),
  };
}

async function printNextSteps(
  { flags, terminal }: Session,
  { manifest }: PackedBuild,
  image: string,
): Promise<void> {
  const { secretName } = await import("../packing/targets/kubernetes-objects.ts");
  const { target, out, port } = flags;
  const folder = /^[\w./-]+$/.test(out) ? out : `'${out.replaceAll("'", String.raw`'\''`)}'`;
  const secrets = secretsOf(flags).map((name) => ` --from-literal=${name}=…`);
  const steps =
    target === "docker"
      ? [
          `docker build --tag ${image} ${folder}`,
          `docker run --publish 127.0.0.1:${port}:${port} --env AGATE_BASE_URL --env AGATE_API_KEY ${image}`,
        ]
      : [
          `docker build --tag ${image} ${folder}`,
          `docker push ${image}`,
          ...(secrets.length === 0
            ? []
            : [
                `kubectl create secret generic ${secretName(manifest.application)}${secrets.join("")}`,
              ]),
          `kubectl apply --kustomize ${folder}/k8s`,
        ];
  terminal.print(`Built ${manifest.application} in ${printableLine(resolve(out))}. Next:`);
  for (const step of steps) terminal.print(`  ${terminal.paint("bold", printableLine(step))}`);
}
