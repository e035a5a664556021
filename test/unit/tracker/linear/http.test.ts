import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BodyRefused, textOf } from "../../../../src/tracker/linear/body.ts";
import { post, SOCKETS_MAX } from "../../../../src/tracker/linear/http.ts";
import { never } from "./line.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let answer: Answer;
let connections: number;

const server = createServer((request, response) => answer(request, response));
server.on("connection", () => connections++);

beforeEach(async () => {
  connections = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function ask(signal: AbortSignal = never, repeatable = true) {
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/graphql?a=b`);
  return post({ url, headers: { authorization: "key" }, body: '{"ä": 1}', repeatable, signal });
}

const read = async (): Promise<string> => textOf((await ask()).body, 1_000);

describe("a post", () => {
  it("carries path, headers and body", async () => {
    answer = (request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (part: string) => (body += part));
      const { authorization } = request.headers;
      const { method, url } = request;
      request.on("end", () => response.end(JSON.stringify({ method, url, authorization, body })));
    };
    expect(JSON.parse(await read())).toEqual({
      method: "POST",
      url: "/graphql?a=b",
      authorization: "key",
      body: '{"ä": 1}',
    });
  });

  it.each([
    ["with", "connection: upgrade\r\nupgrade: h2c\r\n"],
    ["without", ""],
  ])("that is answered with another protocol is over at once, %s its name", async (_, headers) => {
    answer = (request) => request.socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`);
    expect((await ask()).status).toBe(101);
  });

  it("uses the connection of the one before", async () => {
    answer = (_, response) => response.end("{}");
    for (let i = 0; i < 5; i++) expect(await read()).toBe("{}");
    expect(connections).toBe(1);
  });

  describe("on a connection that the server closes just then", () => {
    const once = new WeakSet<object>();
    beforeEach(() => {
      answer = ({ socket }, response) => {
        if (once.has(socket)) return void socket.resetAndDestroy();
        once.add(socket);
        response.end("{}");
      };
    });

    it("is sent again on a new one when it only asks", async () => {
      for (let i = 0; i < 3; i++) expect(await read()).toBe("{}");
      expect(connections).toBe(3);
    });

    it("fails when it may change something", async () => {
      await read();
      await expect(ask(never, false)).rejects.toMatchObject({ code: "ECONNRESET" });
      expect(connections).toBe(1);
    });
  });

  it("is an outage when a new connection is closed as well", async () => {
    answer = ({ socket }) => void socket.resetAndDestroy();
    await expect(ask()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(connections).toBe(1);
  });

  it("is not sent again to where a redirect points", async () => {
    let asked = 0;
    answer = (_, response) => {
      asked++;
      response.writeHead(307, { location: "/elsewhere" }).end();
    };
    const { status, headers } = await ask();
    expect([status, headers["location"], asked]).toEqual([307, "/elsewhere", 1]);
  });

  it("opens connections up to a bound, and waits for one beyond it", async () => {
    const open: ServerResponse[] = [];
    const full = Promise.withResolvers<void>();
    answer = (_, response) => {
      open.push(response);
      if (open.length === SOCKETS_MAX) full.resolve();
    };
    const asked = Array.from({ length: SOCKETS_MAX + 1 }, () => read());
    await full.promise;
    answer = (_, response) => response.end("last");
    for (const response of open) response.end("first");
    expect((await Promise.all(asked)).filter((text) => text === "last")).toHaveLength(1);
    expect(connections).toBe(SOCKETS_MAX);
  });

  it("that waits for a connection ends at once when it is ended", async () => {
    const full = Promise.withResolvers<void>();
    let open = 0;
    answer = () => {
      if (++open === SOCKETS_MAX) full.resolve();
    };
    const all = Promise.allSettled(Array.from({ length: SOCKETS_MAX }, () => ask()));
    await full.promise;
    const ending = new AbortController();
    const waiting = ask(ending.signal);
    await turnOfLoop();
    ending.abort();
    await expect(waiting).rejects.toThrow("ended early");
    expect(open).toBe(SOCKETS_MAX);
    server.closeAllConnections();
    await all;
  });

  it("that is ended while its body is read fails, and closes its connection", async () => {
    const closed = Promise.withResolvers<void>();
    answer = (_, response) => {
      response.write('{"data":');
      response.on("close", closed.resolve);
    };
    const ending = new AbortController();
    const { body } = await ask(ending.signal);
    const text = textOf(body, 1_000);
    ending.abort();
    await expect(text).rejects.toThrow("ended early");
    await closed.promise;
  });
});

describe("a proxy of the environment", () => {
  const file = fileURLToPath(new URL("../../../../src/tracker/linear/http.ts", import.meta.url));

  /** Asks where nobody listens, and says what became of it. */
  async function asked(environment: Readonly<Record<string, string>>): Promise<string> {
    const { port } = server.address() as AddressInfo;
    const script = `import { post } from ${JSON.stringify(file)};
      const url = new URL("https://127.0.0.1:1/graphql");
      const signal = AbortSignal.timeout(20_000);
      post({ url, headers: {}, body: "", signal }).catch((error) => console.log(error.code));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { HTTPS_PROXY: `http://127.0.0.1:${port}`, ...environment },
    });
    const said = child.stdout.toArray();
    await once(child, "exit");
    return Buffer.concat(await said).toString();
  }

  it("is used if Node is told to, and not without", async () => {
    const connected: string[] = [];
    const onConnect = (request: IncomingMessage, socket: { destroy: () => void }): void => {
      connected.push(request.url ?? "");
      socket.destroy();
    };
    server.on("connect", onConnect);
    expect(await asked({})).toMatch(/ECONNREFUSED/);
    expect(connected).toEqual([]);
    await asked({ NODE_USE_ENV_PROXY: "1" });
    expect(connected).toEqual(["127.0.0.1:1"]);
    server.off("connect", onConnect);
  });
});

describe("a compressed answer", () => {
  const encoded =
    (encoding: string, bytes: Buffer): Answer =>
    (_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(bytes);

  it("is unpacked if it is gzip, which is asked for", async () => {
    answer = (request, response) =>
      encoded("gzip", gzipSync(String(request.headers["accept-encoding"])))(request, response);
    expect(await read()).toBe("gzip");
  });

  it("is counted as it is unpacked", async () => {
    answer = encoded("gzip", gzipSync("x".repeat(1_000_000)));
    await expect(read()).rejects.toThrow(BodyRefused);
  });

  it("that is cut off or damaged fails", async () => {
    const whole = gzipSync("x".repeat(1_000));
    for (const bytes of [whole.subarray(0, -12), Buffer.from("no gzip")]) {
      answer = encoded("gzip", bytes);
      await expect(read()).rejects.toMatchObject({ code: expect.stringMatching(/^Z_/) as string });
    }
  });

  it("of another kind is not read", async () => {
    answer = encoded("br", brotliCompressSync("{}"));
    await expect(read()).rejects.toThrow("not asked for");
  });
});
