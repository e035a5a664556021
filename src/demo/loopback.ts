/** Servers of the demo: on this machine alone, on whatever port is free. */
import type { Server } from "node:http";

/** The port a server listens on. @throws Error when it does not listen, or on a socket that has none. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server listens on no port.");
  return address.port;
}
