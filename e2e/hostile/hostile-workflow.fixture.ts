import * as ag from "@agate/sdk";

// Run as a program: a workflow of the built SDK whose routes misbehave, with a small heap.

ag.init({ onError: () => {} });

class NoConfig extends ag.BaseModel {}

let left = 0;

/** Never waits, so that only the SDK can give the event loop a turn. */
const endless = ag.route(
  "/endless",
  NoConfig,
)(function* () {
  try {
    for (;;) yield "0123456789";
  } finally {
    left += 1;
  }
});

const echo = ag.route("/echo", { config: NoConfig, timeout: 500 })((input: unknown) => input);

const count = ag.route("/left", NoConfig)(() => left);

const thrown = ag.route(
  "/thrown",
  NoConfig,
)(() => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  throw proxy;
});

const split = ag.route(
  "/split",
  NoConfig,
)(({ note }: { note: string }) => {
  throw new ag.HttpError(400, "No.", { headers: { "x-note": note } });
});

ag.app(endless, echo, count, thrown, split);
const serving = await ag.serve({ port: 0 });
console.log(serving.url);
