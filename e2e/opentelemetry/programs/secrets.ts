// An app that meets secrets everywhere, in a process with an exporter of its own.
import "./node-sdk-with-processor.ts";
import * as ag from "@agate/sdk";
import { trace } from "@opentelemetry/api";
import { serveUntilTold } from "./serve-until-told.ts";

ag.init({ redact: ["password", "user.email"] });
const token = ag.secret("API_TOKEN");

class LoginConfig extends ag.BaseModel {
  endpoint = ag.Field(ag.str, { default: "https://login.example" });
}

interface Login {
  readonly name: string;
  readonly password: string;
  readonly user: { readonly email: string };
}

const authorise = ag.instrument({ redact: ["authorization"] })(async function authorise(request: {
  authorization: string;
  header: string;
}) {
  ag.tracing.storeInternals({ header: request.header });
  ag.tracing.storeMeta({ userId: "ada", header: request.header });
  return { ...request, granted: true };
});

const login = async (input: Login): Promise<object> => {
  const { granted } = await authorise({
    authorization: "Basic card-4711",
    header: `Bearer ${token}`,
  });
  trace.getTracer("http-client").startActiveSpan(`GET /?token=${token}`, (span) => {
    span.setAttribute("url.full", `https://login.example/?token=${encodeURIComponent(token)}`);
    span.end();
  });
  using span = ag.span(`try ${token}`, { inputs: { body: JSON.stringify({ token }) } });
  span.addEvent("tried", { token });
  return { ...input, granted };
};
ag.route("/login", LoginConfig)(login);

ag.route(
  "/fail",
  LoginConfig,
)(async (): Promise<never> => {
  throw new Error(`The server refused ${token}.`, { cause: token });
});

ag.route(
  "/refuse",
  LoginConfig,
)(async (): Promise<never> => {
  throw new ag.HttpError(403, `Not with ${token}.`);
});

ag.route(
  "/stream",
  LoginConfig,
)(async function* () {
  yield "one";
  throw new Error(`The stream broke at ${token}.`);
});

await serveUntilTold();
