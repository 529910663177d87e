import type { SpanRecord } from "@agate/protocol";
import { expect, expectTypeOf, it } from "vitest";
import type { RouteTypes } from "../routes/route-types.ts";
import type {
  CallAnswer,
  Client,
  ClientMethod,
  PendingCall,
  StreamingCall,
  UntypedClient,
} from "./client-types.ts";
import { createClient } from "./create-client.ts";
import type * as routes from "./some-routes.fixture.ts";

type AppClient = Client<typeof routes.typedApp>;
type ModuleClient = Client<typeof routes>;

it("has a method for each route, from an app's type and from a module's", () => {
  expectTypeOf<ModuleClient["say"]>().toEqualTypeOf<AppClient["say"]>();
  expectTypeOf<ModuleClient["docs"]["search"]>().toEqualTypeOf<AppClient["docs"]["search"]>();
  expectTypeOf<AppClient["a:b"]["%C3%A9t%C3%A9"]>().toBeFunction();
  expectTypeOf<AppClient>().toBeCallableWith({ question: "why" });
  expectTypeOf<ModuleClient>().not.toHaveProperty("VERSION");
  expectTypeOf<AppClient>().not.toHaveProperty("shout");
  expectTypeOf(createClient<typeof routes.typedApp>).returns.toEqualTypeOf<AppClient>();
});

it("takes what is sent, not what the function gets of it", () => {
  expectTypeOf<AppClient["say"]>()
    .parameter(0)
    .toEqualTypeOf<{ text: string; times?: string | undefined }>();
  expectTypeOf<AppClient["docs"]["search"]>().parameter(0).toEqualTypeOf<string>();
  expectTypeOf<AppClient["nothing"]>().toBeCallableWith();
});

it("lets an input be left out that may be undefined or empty, and no other", () => {
  const compileOnly = (client: AppClient) => {
    client.nothing();
    client.greet();
    client.greet("ada", { config: {} });
    client.list();
    client.list({ limit: 3 });
    client.list(undefined, { environment: "staging" });
    client.repeat();
    client.moments();
    // @ts-expect-error the name is a text
    client.greet(7);
    // @ts-expect-error the filter has no such member
    client.list({ limits: 3 });
    // @ts-expect-error the input has to be given
    client.docs.search();
    // @ts-expect-error the input has to be given
    client.tell();
    // @ts-expect-error options are the second argument
    client.greet({ config: {} });
  };
  expect(compileOnly).toBeTypeOf("function");
});

it("gives what the function returns, as it arrives", () => {
  expectTypeOf<ReturnType<AppClient>>().toEqualTypeOf<PendingCall<string>>();
  expectTypeOf<ReturnType<AppClient["docs"]["search"]>>().toEqualTypeOf<PendingCall<string[]>>();
  expectTypeOf<Awaited<ReturnType<AppClient["say"]>>>().toEqualTypeOf<{
    said: string;
    tone: "plain" | "formal";
  }>();
  expectTypeOf<ReturnType<AppClient["nothing"]>>().toEqualTypeOf<PendingCall<null>>();
  expectTypeOf<ReturnType<AppClient["list"]>>().toEqualTypeOf<
    PendingCall<{ limit: number; at: string; next?: never }>
  >();
  expectTypeOf<ReturnType<AppClient["repeat"]>>().toEqualTypeOf<
    PendingCall<{ times: number; until: string }>
  >();
  expectTypeOf<ReturnType<AppClient["perhaps"]>>().toEqualTypeOf<PendingCall<string | null>>();
  expectTypeOf<ReturnType<AppClient["refuse"]>>().toEqualTypeOf<PendingCall<string>>();
  expectTypeOf<CallAnswer<string>["trace"]>().toEqualTypeOf<SpanRecord | null>();
});

it("gives streams as async iterables of chunks, and collected when awaited", () => {
  expectTypeOf<ReturnType<AppClient["tell"]>>().toEqualTypeOf<StreamingCall<string>>();
  expectTypeOf<Awaited<ReturnType<AppClient["tell"]>>>().toEqualTypeOf<string>();
  expectTypeOf<ReturnType<AppClient["count"]>>().toEqualTypeOf<StreamingCall<{ n: number }>>();
  expectTypeOf<Awaited<ReturnType<AppClient["count"]>>>().toEqualTypeOf<{ n: number }[]>();
  expectTypeOf<ReturnType<AppClient["moments"]>>().toEqualTypeOf<StreamingCall<{ at: string }>>();
});

it("types results that are not what they seem", () => {
  // biome-ignore lint/suspicious/noExplicitAny: what a function without types returns.
  type Got<Returned> = ReturnType<ClientMethod<RouteTypes<"/a", any, string, Returned>>>;
  expectTypeOf<Got<never>>().toEqualTypeOf<PendingCall<never>>();
  expectTypeOf<Got<unknown>>().toEqualTypeOf<PendingCall<unknown>>();
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  expectTypeOf<Got<any>>().toEqualTypeOf<PendingCall<any>>();
  expectTypeOf<Got<Promise<AsyncIterable<Date>>>>().toEqualTypeOf<StreamingCall<string>>();
  expectTypeOf<Got<Date | Generator<Date>>>().toEqualTypeOf<
    PendingCall<string> | StreamingCall<string>
  >();
  // Chunks that all are texts are joined, also where their type allows other values.
  expectTypeOf<Awaited<Got<Generator<string | number>>>>().toEqualTypeOf<
    string | (string | number)[]
  >();
  expectTypeOf<Awaited<Got<Generator<unknown>>>>().toEqualTypeOf<string | unknown[]>();
});

it("is a compile error where a call cannot be right", () => {
  const compileOnly = (client: AppClient) => {
    // @ts-expect-error the input has a text
    client.say({ txt: "hello" });
    // @ts-expect-error the input has to be given
    client.say();
    // @ts-expect-error "rude" is none of the choices
    client.say({ text: "hello" }, { config: { tone: "rude" } });
    // @ts-expect-error there is no such field
    client.say({ text: "hello" }, { config: { tonne: "plain" } });
    // @ts-expect-error a configuration of the caller's, or a deployed one
    client.say({ text: "hello" }, { config: {}, environment: "production" });
    // @ts-expect-error an environment or a variant
    client.say({ text: "hello" }, { environment: "production", variant: { slug: "concise" } });
    // @ts-expect-error there is no such route
    client.shout({});
    client.say({ text: "hello" }, { config: { tone: "formal" } });
    client.say({ text: "hello" }, { variant: { slug: "concise", revision: 2 } });
    client.say({ text: "hello" }, { environment: "staging", signal: new AbortController().signal });
  };
  expect(compileOnly).toBeTypeOf("function");
});

it("is untyped where no type is given", () => {
  const client = createClient("http://localhost:4101");
  expectTypeOf(client.anything!.at!.all!).toBeCallableWith({ any: "thing" });
  expectTypeOf<Awaited<ReturnType<UntypedClient>>>().toEqualTypeOf<unknown>();
  expectTypeOf<ReturnType<UntypedClient>>().toExtend<AsyncIterable<unknown>>();
});
