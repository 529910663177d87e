import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { z } from "zod";
import { summarize } from "./summarize.ts";

const body = z.strictObject({
  config: z
    .strictObject({
      prompt: z.string().default("In short:"),
      words: z.int().min(1).max(100).default(8),
    })
    .prefault({}),
  inputs: z.object({ text: z.string() }),
});

const app = new Hono();
app.get("/health", (context) => context.json({ status: "ok" }));
app.post("/run/summarize", async (context) => {
  const { config, inputs } = body.parse(await context.req.json());
  return context.json({ data: summarize(inputs.text, config.words, config.prompt) });
});
const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`);
});
