// A workflow in a process of its own, whose call waits for a line on stdin.
import { once } from "node:events";
import * as ag from "@agate/sdk";

class NoConfig extends ag.BaseModel {}

ag.route(
  "/wait",
  NoConfig,
)(async ({ text }: { text: string }) => {
  process.stdout.write("running\n");
  await ag.span("stdin", { kind: "TOOL" }, () => once(process.stdin, "data"));
  return text;
});

const { url } = await ag.serve();
process.stdout.write(`${url}\n`);
