/** The error statuses and their meanings (§7; for 405 and 413 see decisions rows 29 and 30). */
export const errorStatuses = {
  400: 'bad input; see the message for details',
  401: 'missing or wrong token',
  403: 'not allowed: the bot is not in that server, or its roles lack the permission',
  404: 'not found, or not visible to the bot',
  429: 'slow down; without Retry-After, waiting does not help',
} as const
/** An error status (§7). */
export type ErrorStatus = keyof typeof errorStatuses

/** The codes of channel webhook errors (§7). */
export const webhookErrorCodes = {
  10015: { status: 404, meaning: 'unknown webhook' },
  50027: { status: 401, meaning: 'wrong token' },
  50006: { status: 400, meaning: 'empty message' },
  50035: { status: 400, meaning: 'bad field' },
  50001: { status: 403, meaning: 'cannot post here' },
} as const
/** An error code of channel webhooks (§7). */
export type WebhookErrorCode = keyof typeof webhookErrorCodes

/** Every error code of Botwright, with its meaning and what the caller can do. */
export const errorCodes = {
  ERR_INVALID_REQUEST: 'the call was not sent: its input is invalid; fix the named field',
  ERR_REFUSED: 'the service refused the call (400, 404, 405, 413 or another status); see the message for the reason',
  ERR_UNAUTHORIZED: 'missing or wrong token (401); set BOT_TOKEN to the token of this bot',
  ERR_FORBIDDEN: 'the bot is not in that server, or none of its roles has the permission (403)',
  ERR_RATE_LIMITED: 'rate limited (429); wait retryAfterSeconds; without that value, waiting does not help',
  ERR_NO_ANSWER: 'no complete response arrived; the call can be repeated',
  ERR_UNKNOWN_OUTCOME:
    'no complete response arrived for a call that must not be repeated; it may or may not have taken effect',
  ERR_BAD_ANSWER: 'the service sent a response that does not match the bot interface',
  ERR_INTERACTION_EXPIRED: 'a click can be answered for 15 minutes, and this one has expired',
  ERR_INTERACTION_UNKNOWN: 'unknown interaction, or wrong interaction token',
  ERR_ANSWERS_USED_UP: 'the click already has the maximum of 10 answers',
  ERR_QUEUE_FULL: 'too many messages are waiting for the rate limit',
  ERR_CHANNEL_WEBHOOK: 'the channel webhook refused the post; see webhookCode for the reason',
  ERR_NO_REPLY: 'the person did not answer a question in time',
  ERR_REPLACED: 'the person was asked a newer question in the same channel',
  ERR_CANCELLED: 'the person cancelled a question',
  ERR_RUN_CANCELLED: 'the run of a durable handler was cancelled; it can still clean up, but not wait again',
  ERR_ABORTED: 'the caller aborted the call',
  ERR_CONFIG: 'invalid configuration; the message names the file and the fix',
  ERR_ALREADY_RUNNING: 'another process on this host is already running the same bot; the message names it',
  ERR_CLUSTER: 'the instances of a bot cannot coordinate right now: their shared store is unreachable or full',
  ERR_FENCED:
    'this instance was disconnected for too long: another one has taken over its work, and the call had no effect',
  ERR_CONFLICT: 'two files define the same thing',
  ERR_DEFINITION: 'a file does not export what its folder requires',
  ERR_ARGS: 'the text after a command does not match its args',
  ERR_CUSTOM_ID: 'a custom_id cannot be encoded or decoded',
  ERR_HANDLER: 'a handler threw',
  ERR_HANDLER_TIMEOUT: 'a handler exceeded its time limit',
  ERR_NOT_DETERMINISTIC:
    'a durable handler does not repeat its recorded steps; the message names the line and both steps',
  ERR_RUN_TOO_LONG: 'a run of a durable handler has too many steps or too large results',
  ERR_STATE:
    'the state of the bot cannot be read or written, for example because of a full disk or a damaged file; see the message for the cause',
  ERR_STATE_VALUE: 'a stored value does not match its schema; the message names the state, the key and the field',
  ERR_WORLD: 'the world file of the local service is invalid; the message names the field',
} as const
/** A stable error code, for decisions in code. */
export type ErrorCode = keyof typeof errorCodes

/** The documentation in the repository that every package.json names. */
const documentation = 'https://github.com/botwright/botwright/blob/main/packages/site/docs'

/** The URL of the documentation of an error code: meaning, usual cause and fix. */
export const errorPage = (code: ErrorCode): string => `${documentation}/errors.md#${code.toLowerCase()}`

/** The error class of Botwright: a message in plain words, and a stable `code` for decisions. Contains no secrets. */
export class BotwrightError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BotwrightError'
    this.code = code
  }
}

/** Whether an error is a Botwright error, also across copies of the class: the service's program bundles its own. */
export const isBotwrightError = (error: unknown): error is BotwrightError =>
  error instanceof Error && Object.hasOwn(errorCodes, (error as { code?: string }).code ?? '')
