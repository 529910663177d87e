import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as ag from "@agate/sdk";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";

/** An app inside something else, as a client reaches it. */
export interface Mounted extends AsyncDisposable {
  send(path: string, init?: RequestInit): Promise<Response>;
}

type Mount = (app: ag.App) => Mounted | Promise<Mounted>;

/** Every way that the documentation names, with the lines that a user writes for it. */
export const ADAPTERS: Readonly<Record<string, Mount>> = {
  "a bare Request → Response runtime": (app) => called((request) => app.fetch(request)),

  "a bare runtime, under a prefix": (app) =>
    called((request) => app.fetch(new Request(request.url.replace("/ai/", "/"), request)), "/ai"),

  Hono: (app) => {
    const hono = new Hono();
    hono.mount("/", app.fetch);
    return called((request) => hono.fetch(request));
  },

  "Hono under a prefix": (app) => {
    const hono = new Hono();
    hono.mount("/ai", app.fetch);
    return called((request) => hono.fetch(request), "/ai");
  },

  "ag.serve": async (app) => {
    const { url, close } = await ag.serve({ app, port: 0, signals: false });
    return {
      send: (path, init) => fetch(`${url}${path}`, init),
      [Symbol.asyncDispose]: () => close(),
    };
  },

  "node:http": (app) => listening(createServer(ag.toNodeHandler(app))),

  Express: (app) => listening(createServer(express().use(ag.toNodeHandler(app)))),

  "Express under a prefix, behind its body parser": (app) => {
    const server = express();
    server.use(express.json({ limit: "20mb" }));
    server.use("/ai", ag.toNodeHandler(app));
    return listening(createServer(server), "/ai");
  },

  Fastify: async (app) => {
    const server = fastify({ bodyLimit: 20_000_000, forceCloseConnections: true });
    server.all("/*", ag.toNodeHandler(app));
    const url = await server.listen({ port: 0, host: "127.0.0.1" });
    return {
      send: (path, init) => fetch(`${url}${path}`, init),
      [Symbol.asyncDispose]: () => server.close(),
    };
  },

  "Fastify under a prefix": async (app) => {
    const server = fastify({ bodyLimit: 20_000_000, forceCloseConnections: true });
    server.all("/ai/*", ag.toNodeHandler(app));
    const url = await server.listen({ port: 0, host: "127.0.0.1" });
    return {
      send: (path, init) => fetch(`${url}/ai${path}`, init),
      [Symbol.asyncDispose]: () => server.close(),
    };
  },

  "a plugin of Fastify with parameters in its prefix": async (app) => {
    const server = fastify({ bodyLimit: 20_000_000, forceCloseConnections: true });
    await server.register(async (plugin) => plugin.all("/*", ag.toNodeHandler(app)), {
      prefix: "/tenants/:tenant/ai",
    });
    const url = await server.listen({ port: 0, host: "127.0.0.1" });
    return {
      send: (path, init) => fetch(`${url}/tenants/caf%C3%A9%2F1/ai${path}`, init),
      [Symbol.asyncDispose]: () => server.close(),
    };
  },
};

/** Ways that leave the path as it is: the app has the base path `/api/agate`. */
export const UNDER_BASE_PATH: Readonly<Record<string, Mount>> = {
  "a bare runtime": (app) => called((request) => app.fetch(request), "/api/agate"),

  "a route of Hono": (app) => {
    const hono = new Hono();
    hono.all("/api/agate/*", (context) => app.fetch(context.req.raw));
    return called((request) => hono.fetch(request), "/api/agate");
  },

  "node:http": (app) => listening(createServer(ag.toNodeHandler(app)), "/api/agate"),

  Express: (app) => listening(createServer(express().use(ag.toNodeHandler(app))), "/api/agate"),

  Fastify: async (app) => {
    const server = fastify({ bodyLimit: 20_000_000, forceCloseConnections: true });
    server.all("/*", ag.toNodeHandler(app));
    const url = await server.listen({ port: 0, host: "127.0.0.1" });
    return {
      send: (path, init) => fetch(`${url}/api/agate${path}`, init),
      [Symbol.asyncDispose]: () => server.close(),
    };
  },
};

function called(answer: (request: Request) => Response | Promise<Response>, prefix = ""): Mounted {
  return {
    send: async (path, init) => answer(new Request(`http://workflow.test${prefix}${path}`, init)),
    [Symbol.asyncDispose]: async () => {},
  };
}

export async function listening(server: Server, prefix = ""): Promise<Mounted> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    send: (path, init) => fetch(`http://127.0.0.1:${port}${prefix}${path}`, init),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
