import type { Address } from './address.ts'

/** Errors on the way to Redis, by code or text, and what to do about them. */
const REASONS: readonly (readonly [RegExp, string | ((address: Address) => string)])[] = [
  [/Unknown RESP type/, 'the server there is not Redis; correct the address'],
  [/ECONNREFUSED/, 'nothing is listening there; start Redis, or correct the address'],
  [/ENOTFOUND|EAI_AGAIN/, 'unknown host; correct the address'],
  [/ENOENT/, 'no such socket file; start Redis, or correct the path'],
  [/EACCES|EPERM/, 'permission denied; check the owner of the socket file'],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|Socket timeout/,
    'it does not respond; check the network, the firewall, and that it uses TLS if the address begins with rediss://',
  ],
  [/WRONGPASS|invalid (?:username|password)/, 'it rejects the user name or the password; correct them in the address'],
  [/NOAUTH/, 'it requires a password; add it to the address, redis://user:password@host'],
  [
    /NOPERM|user executing the script can't|ACL failure in script/,
    'its user lacks a permission; give it the ACL rules of the cluster guide ("Restrict access to Redis")',
  ],
  [
    /DB index is out of range|SELECT is not allowed/,
    'it has no database with that number; correct the end of the address',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|CERT_(?:UNTRUSTED|SIGNATURE)/,
    'its certificate was signed by an unknown authority; give the file of that authority, rediss://host?ca=/path/to/ca.pem',
  ],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    'its certificate is expired or not yet valid; renew it, or correct the clock',
  ],
  [/ALTNAME_INVALID/, 'its certificate is for another name; use the name in the certificate'],
  [
    /CERTIFICATE_REQUIRED|BAD_CERTIFICATE|HANDSHAKE_FAILURE/,
    'it requires a client certificate; give its files, ?cert=…&key=…',
  ],
  [
    /ALERT_(?:UNKNOWN_CA|CERTIFICATE_(?:UNKNOWN|EXPIRED|REVOKED)|UNSUPPORTED_CERTIFICATE)/,
    'it does not accept the client certificate; give the files of one that its authority signed, ?cert=…&key=…',
  ],
  [/EPROTO|WRONG_VERSION_NUMBER|PACKET_LENGTH/, 'it does not use TLS; write redis://'],
  [/LOADING/, 'it is still loading its data; try again later'],
  [/OOM/, 'its memory is full (maxmemory); give it more'],
  [/MISCONF/, 'it cannot write to disk; check its log for a full disk'],
  [/READONLY|UNBLOCKED/, 'it is a replica, which accepts no writes; use the address of the master'],
  [
    /MOVED|CROSSSLOT|CLUSTERDOWN/,
    'it is a node of a Redis Cluster that does not hold the keys of this bot; use the address of the node that does',
  ],
  [/ECONNRESET|EPIPE|Connection is closed|closed/, closed],
]

/**
 * With TLS 1.3, a server rejects a certificate after the client has begun to send. If the connection is reset while the client writes,
 * the alert that names the reason is lost.
 */
function closed({ options: { tls } }: Address): string {
  if (tls === undefined) return 'it closed the connection; write rediss:// if it uses TLS, otherwise check its log'
  const fix =
    tls.cert === undefined
      ? 'if it requires a client certificate, give its files, ?cert=…&key=…; otherwise check its log'
      : 'check its log and that its authority signed the client certificate'
  return `it closed the connection; ${fix}`
}

interface Refusal {
  code?: string
  message?: string
  /** Of the commands in a transaction. */
  previousErrors?: readonly unknown[]
}

/** Whether Redis is there, and can keep nothing more: its memory or its disk is full, or it has become a replica. */
export function isFull(error: unknown): boolean {
  const { message = '', previousErrors = [] } = error as Refusal
  // Redis 6.2 puts the error of a script into another one: `ERR Error running script (…): @user_script: 1: -OOM …`.
  return /(?:^|: -)(?:OOM|MISCONF|READONLY)\b/.test(message) || previousErrors.some(isFull)
}

/** Whether it has become a replica: its address may lead to the new master. */
export const isDemoted = (error: unknown): boolean => /(?:^|: -)READONLY\b/.test((error as Refusal).message ?? '')

/** The reason of a failure, with what to do: one line that holds none of the secrets. */
export function reasonOf(error: unknown, address: Address): string {
  const { code = '', message = String(error), previousErrors = [] } = error as Refusal
  // A transaction only reports that something in it was refused.
  if (previousErrors.length > 0) return reasonOf(previousErrors[0], address)
  let words = [code, message].filter((part) => part !== '' && !(part === code && message.includes(code))).join(': ')
  for (const secret of address.secrets) words = words.replaceAll(secret, '***')
  words = words
    .split('\n', 1)[0]!
    .replace(/\s*script: [0-9a-f]{40}, on @user_script:\d+\.?/, '')
    // To ioredis, which has nothing to fix.
    .replace(' Please report this.', '')
    .slice(0, 200)
  const known = REASONS.find(([pattern]) => pattern.test(`${code} ${message}`))
  if (known === undefined) return words
  const [, reason] = known
  return `${typeof reason === 'string' ? reason : reason(address)} (${words})`
}

/** Trying again soon helps: the server is starting. */
export const mayPass = (error: unknown): boolean =>
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENOENT|ECONNRESET|LOADING|ETIMEDOUT|EHOSTUNREACH|closed/.test(
    `${(error as { code?: string }).code ?? ''} ${(error as Error).message}`,
  )
