import { once } from "node:events";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { portOf } from "../../../src/demo/loopback.ts";

test("the port is told while the server listens, and no other number when it does not", async () => {
  const server = createServer();
  expect(() => portOf(server)).toThrow("listens on no port");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  expect(portOf(server)).toBeGreaterThan(0);
  server.close();
  await once(server, "close");
});
