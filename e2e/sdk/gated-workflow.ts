// A workflow in a process of its own, whose call waits for a line on stdin; beside it an idle one.
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

await ag.serve({ app: ag.createApp(), port: 0 });
const { url } = await ag.serve();
process.stdout.write(`${url}\n`);
