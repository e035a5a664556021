/** What went wrong on the way to Linear, in words, and what to do: the system's codes say nothing to most people. */
import { fieldsOf } from "../../domain/domain.ts";

export interface Mishap {
  /** Continues "The request for the scan failed on the way: ". */
  readonly words: string;
  /** Null = what is usual. */
  readonly hint: string | null;
}

const AGAIN = "Baton asks again by itself.";
const PROXY = "where the network wants a proxy, set HTTPS_PROXY and NODE_USE_ENV_PROXY=1";

const SORTS: readonly {
  readonly code: RegExp;
  readonly words: (host: string) => string;
  readonly hint?: string;
}[] = [
  {
    code: /^(ENOTFOUND|EAI_)/,
    words: (host) => `the name ${host} could not be resolved`,
    hint: `If this goes on, check the machine's network and DNS, and tracker.endpoint; ${PROXY}. ${AGAIN}`,
  },
  {
    code: /^ECONNREFUSED$/,
    words: (host) => `nothing listens at ${host}`,
    hint: `If this goes on, check tracker.endpoint and the network; ${PROXY}. ${AGAIN}`,
  },
  {
    code: /^(ETIMEDOUT|E(NET|HOST)(UNREACH|DOWN)|EADDRNOTAVAIL|ENETRESET)$/,
    words: (host) => `there is no way to ${host}`,
    hint: `If this goes on, check the machine's network; ${PROXY}. ${AGAIN}`,
  },
  {
    code: /^(ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/,
    words: (host) => `the connection to ${host} was closed before the answer was whole`,
  },
  {
    code: /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    words: (host) => `the certificate of ${host} is not valid today`,
    hint: `Check this machine's clock; if it is right, whoever runs the server has to renew the certificate. ${AGAIN}`,
  },
  {
    code: /SELF_SIGNED_CERT|^UNABLE_TO_(GET_ISSUER|VERIFY)|^CERT_UNTRUSTED|^CERT_SIGNATURE/,
    words: (host) => `the certificate of ${host} is signed by nobody whom this machine trusts`,
    hint: `A proxy that looks into connections does this: name the file with its certificate in NODE_EXTRA_CA_CERTS. ${AGAIN}`,
  },
  {
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    words: (host) => `what answers as ${host} has another server's certificate`,
    hint: `Check tracker.endpoint, DNS and proxy. ${AGAIN}`,
  },
  {
    code: /^(EPROTO|ERR_SSL|ERR_TLS)/,
    words: (host) => `what answers at ${host} does not speak TLS as it should`,
    hint: `Check tracker.endpoint (https or http?) and the proxy. ${AGAIN}`,
  },
  {
    code: /^ERR_PROXY/,
    words: (host) => `the proxy did not connect to ${host}`,
    hint: `Check HTTPS_PROXY, with the name and the password that it may want, and NO_PROXY. ${AGAIN}`,
  },
  {
    code: /^HPE_/,
    words: (host) => `what answers at ${host} does not speak HTTP as it should`,
    hint: `Check tracker.endpoint and the proxy. ${AGAIN}`,
  },
];

/** Libraries wrap what the system said; deeper it is never. */
const CAUSES_MAX = 4;

/**
 * What became of a request to this host. Of an error with a code only that is told: its message may name a proxy with its
 * password.
 */
export function mishap(error: unknown, host: string): Mishap {
  const code = codeIn(error);
  if (code === null) return { words: error instanceof Error ? error.message : "unknown", hint: null };
  const sort = SORTS.find((one) => one.code.test(code));
  return sort === undefined
    ? { words: code, hint: null }
    : { words: `${sort.words(host)} (${code})`, hint: sort.hint ?? null };
}

function codeIn(error: unknown): string | null {
  let at = error;
  for (let depth = 0; depth < CAUSES_MAX && at instanceof Error; depth++) {
    const { code } = fieldsOf(at);
    if (typeof code === "string") return code;
    at = at.cause;
  }
  return null;
}
