// An app that Sentry watches: with Agate, or with `--plain` without. `ag.init` is given what the
// variable OPTIONS has, as JSON.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as ag from "@agate/sdk";
import * as Sentry from "@sentry/node";
import { serveUntilTold } from "./serve-until-told.ts";

// Now, if it was not loaded with `--import` before.
await import("./sentry-setup.ts");

ag.init(JSON.parse(process.env.OPTIONS ?? "{}"));
const isPlain = process.argv.includes("--plain");

async function measure(stone: string): Promise<number> {
  return stone.length;
}
const measured = isPlain ? measure : ag.instrument()(measure);

async function describe(stone: string): Promise<string> {
  const size = await Sentry.startSpan({ name: "find the scales" }, () => measured(stone));
  return `${stone} is banded, ${size} wide.`;
}
const described = isPlain ? describe : ag.instrument()(describe);

function lookUp(): Promise<string> {
  return Sentry.startSpan({ name: "look up" }, () => described("Agate"));
}

async function fail(): Promise<never> {
  const error = new Error("No such stone.");
  Sentry.captureException(error);
  throw error;
}

if (isPlain) await servePlainly();
else {
  class NoConfig extends ag.BaseModel {}
  ag.route("/look-up", NoConfig)(lookUp);
  ag.route("/fail", NoConfig)(fail);
  await serveUntilTold(() => Sentry.close());
}

async function servePlainly(): Promise<void> {
  const server = createServer(async (request, response) => {
    const data = await (request.url?.endsWith("/fail") ? fail() : lookUp()).catch(String);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ data }));
  });
  process.once("SIGTERM", () => server.close(() => Sentry.close()));
  server.listen(0, "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
}
