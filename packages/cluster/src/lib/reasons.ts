/** What goes wrong on the way to Redis, by the beginning of its code or its words, and what to do about it. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/Unknown RESP type/, 'what answers there is no Redis; correct the address'],
  [/ECONNREFUSED/, 'nothing listens there; start Redis, or correct the address'],
  [/ENOTFOUND|EAI_AGAIN/, 'there is no host of that name; correct the address'],
  [/ENOENT/, 'there is no such socket file; start Redis, or correct the path'],
  [/EACCES|EPERM/, 'this process may not use it; check who owns the socket file'],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|Socket timeout/,
    'it does not answer; check the network and the firewall between, and that it speaks TLS where the address says rediss://',
  ],
  [/WRONGPASS|invalid (?:username|password)/, 'it refuses the user or the password; correct them in the address'],
  [/NOAUTH/, 'it asks for a password; write it into the address, redis://user:password@host'],
  [
    /NOPERM|user executing the script can't/,
    'its user lacks a right; give it the ACL rules of the cluster guide ("Restrict access to Redis")',
  ],
  [
    /DB index is out of range|SELECT is not allowed/,
    'it has no database of that number; correct the end of the address',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|CERT_(?:UNTRUSTED|SIGNATURE)/,
    'its certificate was signed by nobody who is known here; name the file of the authority, rediss://host?ca=/path/to/ca.pem',
  ],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'its certificate is of another time; renew it, or set the clock'],
  [/ALTNAME_INVALID/, 'its certificate is for another name; use the name that stands in it'],
  [
    /CERTIFICATE_REQUIRED|BAD_CERTIFICATE|HANDSHAKE_FAILURE/,
    'it wants a certificate of this bot; name its files, ?cert=…&key=…',
  ],
  [/EPROTO|WRONG_VERSION_NUMBER|PACKET_LENGTH/, 'it does not speak TLS; write redis://'],
  [/LOADING/, 'it is still reading its file; try again when it has finished'],
  [/OOM/, 'its memory is used up (maxmemory); give it more'],
  [/MISCONF/, 'it cannot write its file; look for a full disk in its log'],
  [/READONLY/, 'it is a replica, which takes no writes; name the master'],
  [
    /MOVED|CROSSSLOT|CLUSTERDOWN/,
    'it is part of a Redis Cluster and does not hold the keys of this bot; name the node that does',
  ],
  [
    /ECONNRESET|EPIPE|Connection is closed|closed/,
    'it ended the connection; when it speaks TLS write rediss://, else look into its log',
  ],
]

interface Refusal {
  code?: string
  message?: string
  /** Of the commands in a transaction. */
  previousErrors?: readonly unknown[]
}

/** Whether Redis is there, and can keep nothing more: its memory or its disk is full, or it has become a replica. */
export function isFull(error: unknown): boolean {
  const { message = '', previousErrors = [] } = error as Refusal
  return /^(?:OOM|MISCONF|READONLY)\b/.test(message) || previousErrors.some(isFull)
}

/** The reason of a failure, with what to do: one line that holds none of the secrets. */
export function reasonOf(error: unknown, secrets: readonly string[]): string {
  const { code = '', message = String(error), previousErrors = [] } = error as Refusal
  // A transaction only says that something in it was refused.
  if (previousErrors.length > 0) return reasonOf(previousErrors[0], secrets)
  let words = [code, message].filter((part) => part !== '' && !(part === code && message.includes(code))).join(': ')
  for (const secret of secrets) words = words.replaceAll(secret, '***')
  words = words
    .split('\n', 1)[0]!
    .replace(/\s*script: [0-9a-f]{40}, on @user_script:\d+\.?/, '')
    // To ioredis, which has nothing to mend.
    .replace(' Please report this.', '')
    .slice(0, 200)
  const known = REASONS.find(([pattern]) => pattern.test(`${code} ${message}`))
  return known === undefined ? words : `${known[1]} (${words})`
}

/** Trying again soon helps: the server is starting. */
export const mayPass = (error: unknown): boolean =>
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENOENT|ECONNRESET|LOADING|ETIMEDOUT|EHOSTUNREACH|closed/.test(
    `${(error as { code?: string }).code ?? ''} ${(error as Error).message}`,
  )
