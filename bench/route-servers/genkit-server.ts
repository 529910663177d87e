import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expressHandler } from "@genkit-ai/express";
import express from "express";
import { genkit, z } from "genkit";
import { summarize } from "./summarize.ts";

const ai = genkit({});
const flow = ai.defineFlow(
  {
    name: "summarize",
    inputSchema: z.object({
      text: z.string(),
      words: z.number().int().min(1).max(100).default(8),
      prompt: z.string().default("In short:"),
    }),
    outputSchema: z.string(),
  },
  async ({ text, words, prompt }) => summarize(text, words, prompt),
);
const app = express();
app.use(express.json());
app.get("/health", (_request, response) => response.json({ status: "ok" }));
app.post("/run/summarize", expressHandler(flow));
const server = createServer(app);
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`);
});
