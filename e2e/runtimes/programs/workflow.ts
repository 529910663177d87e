// The workflow that every runtime serves: one route for each thing that a probe looks at.
import * as ag from "@agate/sdk";

class EchoConfig extends ag.BaseModel {
  prefix = ag.Field(ag.str, { default: ">" });
  times = ag.Field(ag.int, { default: 1, ge: 1, le: 3 });
}

interface Text {
  readonly text: string;
}

/** What happened in this process, for probes that ask for it afterwards. */
const events: string[] = [];

const turn = (milliseconds = 0) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const shout = ag.instrument({ name: "shout" })(async (text: string) => {
  await turn();
  return text.toUpperCase();
});

/** Declares the routes of the default app. `file` is a configuration file, where there may be one. */
export function declareRoutes(file: string | undefined): void {
  ag.entrypoint(EchoConfig)(({ text }: Text, { config }) => `${config.prefix}${text}`);

  const echo = ag.route(
    "/echo",
    EchoConfig,
  )(async ({ text }: Text, { config }) => {
    const shouted = await shout(text);
    return config.prefix + shouted.repeat(config.times);
  });

  // The steps of concurrent calls interleave: each must find its own span, and its own configuration.
  ag.route(
    "/nested",
    EchoConfig,
  )(async ({ text }: Text) => {
    await turn(Math.random() * 20);
    return ag.span(`outer ${text}`, async () => {
      await turn(Math.random() * 20);
      const inner = await ag.span(`inner ${text}`, { kind: "TOOL" }, async () => {
        await turn(Math.random() * 20);
        return (await echo({ text })).length;
      });
      const { prefix } = await ag.ConfigManager.getFromRoute({ schema: EchoConfig });
      return `${prefix}${text}${inner}`;
    });
  });

  ag.route(
    "/words",
    EchoConfig,
  )(async function* ({ text }: Text) {
    for (const word of text.split(" ")) {
      await turn();
      yield word;
    }
  });

  ag.route(
    "/endless",
    EchoConfig,
  )(async function* ({ text }: Text) {
    try {
      for (let count = 0; ; count += 1) {
        yield count;
        await turn(5);
      }
    } finally {
      // Longer than the sending of the call's spans, with which a worker's request would end.
      await turn(200);
      events.push(`left ${text}`);
    }
  });

  ag.route(
    "/patient",
    EchoConfig,
  )(async ({ text }: Text, { signal }) => {
    events.push(`waiting ${text}`);
    // A worker that waits for nothing but an event is taken for one that hangs.
    while (!signal.aborted) await turn(5);
    events.push(`aborted ${text}`);
    return text;
  });

  ag.route("/late", { config: EchoConfig, timeout: 50 })(async () => {
    await turn(60_000);
    return "too late";
  });

  ag.route(
    "/refuse",
    EchoConfig,
  )(() => {
    throw new ag.HttpError(409, "The ticket is closed.");
  });

  ag.route("/secret", EchoConfig)(() => shout(`token ${ag.secret("PROBE_SECRET")}`));

  ag.route(
    "/login",
    EchoConfig,
  )(({ password }: { readonly password: string }) => ({ length: password.length, password }));

  ag.route(
    "/using",
    EchoConfig,
  )(async () => {
    // What `using span = ag.span("block")` does: not every runtime of the suite can parse it.
    const block = ag.span("block");
    await turn();
    await shout("inside");
    block[Symbol.dispose]();
    return "left";
  });

  ag.route(
    "/file",
    EchoConfig,
  )(() => {
    const path = file === undefined ? {} : { path: file };
    return ag.ConfigManager.getFromFile({ ...path, variant: "default", route: "/file" });
  });

  ag.route(
    "/flush",
    EchoConfig,
  )(async () => {
    await shout("before");
    await ag.flush();
    return ag.exportStatistics();
  });

  ag.route(
    "/serve",
    EchoConfig,
  )(async () => {
    const other = ag.createApp({ disabled: true });
    other.route("/ping", EchoConfig)(() => "pong");
    const { url, close } = await ag.serve({ app: other, port: 0, signals: false });
    const health = await (await fetch(`${url}/health`)).json();
    await close();
    return health;
  });

  ag.route(
    "/shutdown",
    EchoConfig,
  )(async () => {
    await shout("the last one");
    await ag.shutdown();
    return ag.exportStatistics();
  });

  ag.route("/events", EchoConfig)(() => events);
}
