/** The statuses of refusals and what they mean (§7; 405 and 413 by decisions rows 29 and 30). */
export const errorStatuses = {
  400: 'bad input; the text says what is wrong',
  401: 'missing or wrong token',
  403: 'not allowed: the bot is not in that server, or its roles lack the permission',
  404: 'not found, or not visible to the bot',
  429: 'slow down; without Retry-After waiting does not help',
} as const
/** A status of a refusal (§7). */
export type ErrorStatus = keyof typeof errorStatuses

/** The codes of channel webhook errors (§7). */
export const webhookErrorCodes = {
  10015: { status: 404, meaning: 'unknown webhook' },
  50027: { status: 401, meaning: 'wrong token' },
  50006: { status: 400, meaning: 'empty message' },
  50035: { status: 400, meaning: 'bad field' },
  50001: { status: 403, meaning: 'cannot post here' },
} as const
/** A code of a refused post to a channel webhook (§7). */
export type WebhookErrorCode = keyof typeof webhookErrorCodes

/** Every code that an error of Botwright carries, and the decision that its reader can take. */
export const errorCodes = {
  ERR_INVALID_REQUEST: 'the call was not sent: its input breaks a rule of the interface; correct the named field',
  ERR_REFUSED: 'the service refused the call (400, 404, 405, 413 and other statuses); the text says why',
  ERR_UNAUTHORIZED: 'missing or wrong token (401): set BOT_TOKEN to the token of this bot',
  ERR_FORBIDDEN: 'not in that server, or no role with the permission (403)',
  ERR_RATE_LIMITED: 'slow down (429): retryAfterSeconds says how long; without it waiting does not help',
  ERR_NO_ANSWER: 'no whole answer came; the call may be repeated',
  ERR_UNKNOWN_OUTCOME: 'no whole answer came to a call that must not be repeated: it may or may not have taken effect',
  ERR_BAD_ANSWER: 'the service answered with something that the interface does not describe',
  ERR_INTERACTION_EXPIRED: 'a click is open for 15 minutes; this one is over',
  ERR_INTERACTION_UNKNOWN: 'the service does not know this interaction or its token',
  ERR_ANSWERS_USED_UP: 'a click takes at most 10 answers',
  ERR_QUEUE_FULL: 'too many messages wait for the message budget',
  ERR_CHANNEL_WEBHOOK: 'the channel webhook refused the post; webhookCode says why',
  ERR_NO_REPLY: 'nobody answered a question in time, or the person cancelled it',
  ERR_ABORTED: 'the caller gave the call up',
  ERR_CONFIG: 'the bot is not set up right; the text names the file and the fix',
  ERR_ALREADY_RUNNING: 'another process of this machine runs the same bot; the text names it',
  ERR_CLUSTER:
    'the machines of a bot cannot work together at this moment: what they share is away, or can keep nothing more',
  ERR_FENCED: 'this machine was cut off for too long: another one has taken its work over, and nothing was done here',
  ERR_CONFLICT: 'two files define the same thing',
  ERR_DEFINITION: 'a file does not define what its place asks for',
  ERR_ARGS: 'the text behind a command does not fit its args',
  ERR_CUSTOM_ID: 'a custom_id cannot be made or read',
  ERR_HANDLER: 'a handler threw',
  ERR_HANDLER_TIMEOUT: 'a handler did not end within its limit',
  ERR_STATE: 'what the bot keeps cannot be read or written now: a full disk, a damaged file; the text says which',
  ERR_STATE_VALUE: 'a kept value does not fit its schema; the text names the state, the key and the field',
  ERR_WORLD: 'the world of the local service breaks a rule; the text names the field',
} as const
/** A code of the table: stable, to decide by. */
export type ErrorCode = keyof typeof errorCodes

/** The documentation as it stands in the repository that every package.json names. */
const documentation = 'https://github.com/botwright/botwright/blob/main/packages/site/docs'

/** Where the documentation tells of a code: what it means, where it usually comes from, what to do. */
export const errorPage = (code: ErrorCode): string => `${documentation}/errors.md#${code.toLowerCase()}`

/** The one error class of the house: what went wrong in words, and a stable `code` to decide by. Holds no secret. */
export class BotwrightError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BotwrightError'
    this.code = code
  }
}

/** Whether an error is one of these, whichever copy of the class it was made with: the service's program has one of its own. */
export const isBotwrightError = (error: unknown): error is BotwrightError =>
  error instanceof Error && Object.hasOwn(errorCodes, (error as { code?: string }).code ?? '')
