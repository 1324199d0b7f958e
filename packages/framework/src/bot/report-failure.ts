import { createHash } from 'node:crypto'
import { BoundedMap, cut, limits } from '@botwright/protocol/facts'
import type { ButtonContext } from './context/button-context.ts'
import { noteRefusal } from './context/refusals.ts'
import { type BotServices, servicesOf, useShared } from './services.ts'
import type { Context } from '../author/context.ts'
import { codeOf, endsAnswers, hasCode } from '../author/error-code.ts'
import type { Log } from '../author/ports.ts'
import type { RecordedOutcome } from '../link/recorded-step.ts'
import { authorStack, sourceLine } from '../link/errors/source-line.ts'
import { wordsOf } from '../author/texts/person-error.ts'
import { phrase } from '../author/texts/phrase.ts'
import type { Words } from '../author/texts/words.ts'
import { readable, wholeMessage, wholeStack } from '../link/errors/whole-error.ts'

const letters = '23456789abcdefghjkmnpqrstuvwxyz'

/** The reference of an error: the same when a durable handler runs again and repeats its messages. */
export function referenceOf({ envelope, file }: Pick<Context, 'envelope' | 'file'>, message: string): string {
  const digest = createHash('sha256').update(`${envelope.id}\n${envelope.created_at}\n${file}\n${message}`).digest()
  return Array.from(digest.subarray(0, 4), (byte) => letters[byte % letters.length]).join('')
}

/** The name and the code of an error. */
export const namesOf = (error: unknown): { name?: string; code?: string } => ({
  ...(error instanceof Error && { name: error.name }),
  ...(codeOf(error) && { code: codeOf(error)! }),
})

/** No apology follows these errors: it would fail in the same way, or the answer came too late. */
const withoutApology: ReadonlySet<string> = new Set([
  'ERR_UNAUTHORIZED',
  'ERR_RATE_LIMITED',
  'ERR_QUEUE_FULL',
  'ERR_ABORTED',
  'ERR_NO_ANSWER',
  'ERR_INTERACTION_EXPIRED',
  'ERR_INTERACTION_UNKNOWN',
  'ERR_ANSWERS_USED_UP',
])

/** Logs the error of a handler with its source line, and apologizes to a user who waits for an answer. Never rejects. */
export async function reportFailure(
  thrown: unknown,
  ctx: Context,
  { root, log }: { root: string; log: Log },
): Promise<RecordedOutcome['error']> {
  const error = readable(thrown)
  // The newer question is what the user sees.
  if (hasCode(error, 'ERR_REPLACED')) return undefined
  if (hasCode(error, 'ERR_ARGS', 'ERR_NO_REPLY', 'ERR_CANCELLED')) {
    if (error.code === 'ERR_ARGS') noteRefusal(ctx, error.message)
    if (wordsOf(error) !== '') await notifySeldom(ctx, wordsOf(error), log)
    return undefined
  }
  if (hasCode(error, 'ERR_FENCED')) {
    // Not a failure: another instance runs the event again and answers it.
    log.info({ event: ctx.envelope.id, file: ctx.file }, `${ctx.file}: stopped: ${error.message}`)
    return undefined
  }
  const message = wholeMessage(error)
  const reference = referenceOf(ctx, message)
  const stack = error instanceof Error ? authorStack(wholeStack(error)) : undefined
  const at = sourceLine(error, root, ctx.file) ?? ctx.file
  // Some messages begin with the file.
  const text = message.startsWith(`${ctx.file}:`) ? message : `${at}: ${message}`
  log.error({ event: ctx.envelope.id, file: ctx.file, at, reference, ...(stack && { stack }) }, text)
  // Before the user is notified: a test stops waiting soon after an answer.
  const details = servicesOf(ctx).layer.failed?.(error, at)
  if (!withoutApology.has(codeOf(error) ?? ''))
    await notifySeldom(ctx, phrase('failed_with_reference', { reference }), log)
  return {
    message,
    at,
    reference,
    ...namesOf(error),
    ...(stack !== undefined && { stack }),
    ...(details && { details }),
  }
}

/**
 * Notifies the user of a failure, unless the file has failed for them several times within a minute. Answers to clicks do not count as messages,
 * so they have no such limit.
 */
export async function notifySeldom(ctx: Context, words: Words, log: Log): Promise<void> {
  if (ctx.kind === 'button' || !(await isNoticeUsedUp(ctx))) await notifyUser(ctx, words, log)
}

/** Whether the file has failed for the user several times within a minute. Counts this time. */
const isNoticeUsedUp = (ctx: Context): boolean | Promise<boolean> =>
  useShared(servicesOf(ctx), `notice ${ctx.file}`, (bot) => isUsedUp(bot, `${ctx.file} ${ctx.user.id}`))

const REFUSALS_PER_MINUTE = 3
const MINUTE_MS = 60_000
const MAX_USERS = 1000
const refusalTimes = new WeakMap<BotServices, BoundedMap<string, number[]>>()

/** A user gets at most three refusals a minute of one kind, so that repeated commands cannot use up the message budget (§8). */
export function isUsedUp(services: BotServices, key: string): boolean {
  let times = refusalTimes.get(services)
  if (!times) refusalTimes.set(services, (times = new BoundedMap<string, number[]>(MAX_USERS)))
  const nowMs = services.clock.monotonic()
  const recent = (times.get(key) ?? []).filter((atMs) => atMs > nowMs - MINUTE_MS)
  if (recent.length >= REFUSALS_PER_MINUTE) return true
  times.set(key, [...recent, nowMs])
  return false
}

/** A text may list all choices of an argument, or all subcommands. */
export const fitting = (text: string): string => cut(text, limits.message_content.characters)

/** Notifies the user of a command, click or question. Other events get no notification, which could flood a channel. */
export async function notifyUser(ctx: Context, words: Words, log: Log): Promise<void> {
  const channel_id = questionChannels.get(ctx)
  if (ctx.kind === 'event' && channel_id === undefined) return
  try {
    const { call, texts } = servicesOf(ctx)
    const text = await texts.say(words, ctx)
    const notices = refusalNotices.get(ctx)
    if (notices) notices.push(text)
    else if (channel_id !== undefined)
      await call('messages.create', { channel_id, content: fitting(text) }, { priority: 'reply' })
    else if (ctx.kind === 'button') {
      const click = ctx as ButtonContext
      // If the click accepts no more answers, post a message instead.
      const post = async () => {
        const content = fitting(`<@${click.user.id}> ${text}`)
        if (!(await isNoticeUsedUp(click))) await click.api.messages.create({ channel_id: click.channel_id, content })
      }
      const orPost = (error: unknown) => {
        if (!endsAnswers(error)) throw error
        return post()
      }
      await (click.isOver ? post() : click.ephemeral(fitting(text)).catch(orPost))
    } else await ctx.reply(fitting(text))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ event: ctx.envelope.id, file: ctx.file }, `${ctx.file}: the user could not be notified: ${reason}`)
  }
}

/** The channel in which the user waits, for handlers that asked a question somewhere else than they reply. */
export const questionChannels = new WeakMap<Context, string>()

/** The texts for the user of commands that a model calls: the model gets them instead. */
export const refusalNotices = new WeakMap<Context, string[]>()
