// `ctx.ask`, `ctx.choose` and `ctx.clicked`: post a question, wait without blocking the channel, read the answer, ask again.

import { type Delivery, eventKey } from '@botwright/events/event'
import type { ActionRow, Message } from '@botwright/protocol/shapes'
import { BotwrightError, isId, limits, lowerId } from '@botwright/protocol/facts'
import { foldTyped, trimUnseen } from '@botwright/protocol/typed-text'
import type { Unanswered } from '@botwright/protocol/timeline'
import { type Arg, factOf, lookUpAgain } from '../../author/args/arg.ts'
import { splitWords } from '../../author/texts/typed-words.ts'
import { type BotServices, servicesOf } from '../../bot/services.ts'
import { ButtonContext, continueConversation } from '../../bot/context/button-context.ts'
import { callsEnded, workKeyOf } from '../../bot/context/bot-context.ts'
import type { Context } from '../../bot/context/context.ts'
import { joinRun, onHandlerEnd, pauseTimeLimit } from '../../bot/context/handler-context.ts'
import { durationMs } from '../../author/time/duration.ts'
import { hasCode } from '../../author/error-code.ts'
import { fitting, questionChannels, notifyUser } from '../../bot/report-failure.ts'
import { bodyOf, type Outgoing } from '../../author/outgoing.ts'
import { PersonError } from '../../author/texts/person-error.ts'
import { inEnglish, phrase } from '../../author/texts/phrase.ts'
import type { Words } from '../../author/texts/words.ts'
import { againWords, lostWords } from './again-words.ts'
import type { AnswerWait, QuestionsHost, Talk } from '../../bot/conversation/questions-host.ts'
import { Conversation, isUnanswered, noReply, withLine } from './conversation.ts'
import { showChoice } from './show-choice.ts'
import { Pace, type StreamHost, streamText } from '../streams/stream.ts'
import type {
  Asker,
  ClickOptions,
  ClickWait,
  OwnAskOptions,
  OwnClickOptions,
  Questions,
} from '../../author/ask-options.ts'
import type { Streamed, StreamOptions } from '../../author/sending/stream.ts'
import { choiceKey } from '../../bot/conversation/waiting.ts'
import { clickKey, replyKey, textKey } from '../../link/answer-key.ts'
import { choice, choiceOf } from '../../author/buttons/face.ts'
import { postReply } from '../../bot/context/event-context.ts'

const DEFAULT_TIMEOUT = '2m'
const DEFAULT_TRIES = 3

/** `Questions` cannot import the context classes, which depend on it. Only contexts call it. */
const handlerOf = (asker: Asker) => asker as { ctx: Context; services: BotServices }

export const createQuestions = (host: QuestionsHost): Questions => new HandlerQuestions(host)

/** The questions of a bot's handlers, or of a durable run. */
class HandlerQuestions implements Questions {
  readonly #host: QuestionsHost
  readonly #conversations = new WeakMap<Context, Talk>()
  readonly #pace: Pace

  constructor(host: QuestionsHost) {
    this.#host = host
    this.#pace = new Pace(host.clock)
  }

  /** `channel_id`: the channel of the first question and of the notification after a restart, which begins with `lost`. Default: that of the event. */
  #conversationOf(ctx: Context, channel_id = ctx.channel_id ?? '', lost = phrase('ask.restarted')): Talk {
    const former = this.#conversations.get(ctx)
    if (former) return former
    const event = eventKey(ctx.envelope)
    const begin = (): Talk =>
      new Conversation(this.#host, { event, file: ctx.file, key: workKeyOf(ctx) }, async () => ({
        event,
        channel_id,
        user_id: ctx.user.id,
        lost: await servicesOf(ctx).texts.say(lostWords(ctx, lost), ctx),
        sinceMs: this.#host.clock.now(),
      }))
    const conversation = this.#host.talk?.() ?? begin()
    this.#conversations.set(ctx, conversation)
    onHandlerEnd(ctx, () => void conversation.end(callsEnded(ctx)))
    return conversation
  }

  /** Posts a question, whose answer may arrive before the response. */
  #asking<T>(key: string, post: () => Promise<T>): Promise<T> {
    const { waiting, dropped } = this.#host
    return waiting.asking(key, post, dropped)
  }

  /** Waits for an answer. */
  async #answered(
    ctx: Context,
    kind: 'answer' | ClickWait,
    wait: AnswerWait,
    { talk, cancels = [] }: { talk: Talk; cancels?: readonly string[] },
  ) {
    const { timeoutMs: mostMs, what } = wait
    const ended = servicesOf(ctx).layer.waits?.(ctx.file)({ for: kind, mostMs, what })
    let why: Unanswered['why'] | undefined
    try {
      const waiting = talk.wait({ ...wait, channel_id: questionChannels.get(ctx) })
      // A stream pauses the limit until its end; this wait ends with the handler.
      const received = await (kind === 'stream' ? waiting : pauseTimeLimit(ctx, waiting))
      if (received === 'late') why = 'timed_out'
      else if (received === 'replaced') why = received
      else if (isOneOf(cancels, typedIn(received))) why = 'cancelled'
      return received
    } catch (error) {
      if (hasCode(error, 'ERR_RUN_CANCELLED')) why = 'cancelled'
      throw error
    } finally {
      ended?.(why && { why, at: new Date(this.#host.clock.now()).toISOString() })
    }
  }

  async clicked(
    asker: Asker,
    message: Pick<Message, 'id'>,
    options: OwnClickOptions = {},
    kind: ClickWait = 'click',
  ): Promise<ButtonContext> {
    const { ctx, services } = handlerOf(asker)
    const { by, who, timeoutMs } = clickRulesOf(ctx, options)
    const { held_until } = message as { held_until?: string }
    const fact = `ctx.clicked: the message is held until ${held_until}; post it with ctx.api.messages.create`
    if (held_until !== undefined) throw new BotwrightError('ERR_INVALID_REQUEST', `${ctx.file}: ${fact}`)
    const clickOf = (delivery: Delivery, own: BotServices) => {
      const click = new ButtonContext(delivery, own, ctx.file)
      click.params = choiceOf(click.custom_id) ?? ''
      return click
    }
    const isAdmitted =
      options.admits ??
      (async (click: ButtonContext) => {
        if (who === undefined || click.user.id === who) return true
        // Never rejects, so that another user's click cannot fail this handler.
        await notifyUser(click, phrase('ask.not_for_you'), this.#host.log)
        return false
      })
    const what = `a click${by === 'author' ? ofUser(ctx) : ''}${options.place ?? inChannel(ctx, message)}`
    const received = await this.#answered(
      ctx,
      kind,
      {
        ...{ key: clickKey(lowerId(message.id)), sinceMs: 0, timeoutMs: options.leftMs ?? timeoutMs, what },
        // With the bot's own services: a click that does not count uses up none of the steps of a durable run.
        admits: (delivery) => isAdmitted(clickOf(delivery, services.run?.bot ?? services)),
      },
      { talk: this.#conversationOf(ctx, ctx.channel_id ?? (message as Partial<Message>).channel_id) },
    )
    if (received === 'late') throw noReply(timeoutMs, againWords(ctx))
    if (received === 'replaced') throw replaced()
    const click = clickOf(received.delivery, services)
    joinRun(click, ctx)
    // Its questions are those of the handler. In a durable run nothing has to end with it.
    if (!this.#host.talk) this.#conversations.set(click, this.#conversationOf(ctx))
    continueConversation(ctx)
    continueConversation(click)
    return click
  }

  stream(asker: Asker, source: AsyncIterable<string>, options: StreamOptions = {}): Promise<Streamed> {
    const { ctx, services } = handlerOf(asker)
    const stream: StreamHost = {
      ...{ ctx, services, pace: this.#pace, clock: this.#host.clock },
      asking: (post) => this.#asking(choiceKey, post),
      clicked: (message, timeout) => this.clicked(asker, message, { timeout }, 'stream'),
    }
    const ended = services.layer.waits?.(ctx.file)({ for: 'stream' })
    const conversation = this.#conversationOf(ctx, undefined, phrase('stream.restarted'))
    const streamed = conversation.during(() => streamText(stream, source, options))
    return pauseTimeLimit(ctx, ended ? streamed.finally(ended) : streamed)
  }

  async ask<T>(asker: Asker, question: Outgoing, options: OwnAskOptions<T> = {}): Promise<T | string> {
    const { ctx, services } = handlerOf(asker)
    const { as, timeout = DEFAULT_TIMEOUT, tries = DEFAULT_TRIES } = options
    const timeoutMs = durationMs(timeout, `${ctx.file}: timeout`)
    const { texts } = services
    const cancelWord = phrase('ask.cancel_word')
    const cancel = options.cancel ?? (await texts.say(cancelWord, ctx))
    const cancels = options.cancel === undefined ? [cancel, inEnglish(cancelWord)] : [cancel]
    const person = ctx.user.id
    if (person === '') throw noUser(ctx)
    const direct = options.in === 'dm'
    const channel_id = direct ? (await services.call('users.dm', { user_id: person })).channel_id : ctx.channel_id
    if (channel_id === null) throw noChannel(ctx)
    if (direct || ctx.kind === 'event') questionChannels.set(ctx, channel_id)
    const key = textKey(channel_id, person)
    // The service refuses equal messages in a row (§7). As replies to different messages, equal questions are not equal.
    const before = this.#conversations.get(ctx)?.answer
    const body = { ...(before?.channel_id === channel_id && { reply_to: before.id }), ...bodyOf(question) }
    const replacing = this.#host.expects?.(key)
    if (replacing) await replacing
    const post = () => (direct ? postReply(services, { ...body, channel_id }) : ctx.reply(body))
    const asked = await this.#asking(key, () =>
      post().catch((error: unknown) => postedBefore(services, error, { channel_id, content: body.content })),
    )
    const askedMs = asked ? Date.parse(asked.created_at) : 0
    const beganMs = this.#host.clock.monotonic()
    const what = `an answer${ofUser(ctx)}${direct ? ' in direct messages' : inChannel(ctx)}`
    let wait: AnswerWait = { key, sinceMs: askedMs, timeoutMs, what }
    for (let left = tries; ;) {
      const received = await this.#answered(ctx, 'answer', wait, {
        talk: this.#conversationOf(ctx, channel_id),
        cancels,
      })
      if (received === 'late') throw noReply(timeoutMs, againWords(ctx))
      if (received === 'replaced') {
        if (!options.byReply || !asked || wait.key !== key) throw replaced()
        const leftMs = Math.max(1, beganMs + timeoutMs - this.#host.clock.monotonic())
        const what = `a reply${ofUser(ctx)}${inChannel(ctx)}`
        wait = { ...wait, key: replyKey(asked.id, person), timeoutMs: leftMs, what }
        continue
      }
      const { id } = received.delivery.event.data as { id: string }
      this.#conversationOf(ctx).answer = { channel_id, id }
      continueConversation(ctx)
      const typed = typedIn(received)
      if (isOneOf(cancels, typed)) throw cancelled()
      if (!as) return typed
      lookUpAgain(ctx)
      try {
        return await as.read(wordsFor(as, typed), ctx)
      } catch (error) {
        if (!hasCode(error, 'ERR_ARGS')) throw error
        const wrong = phrase('ask.wrong', { fact: factOf(error, as) })
        const fact: Words = inEnglish(wrong).endsWith('?') ? wrong : [wrong, '.']
        if (--left <= 0) throw new PersonError('ERR_ARGS', [fact, againWords(ctx)], { cause: error })
        const example = as.example === undefined ? '' : [' ', phrase('ask.example', { example: as.example })]
        const content = fitting(await texts.say([fact, example, ' ', phrase('ask.try_again', { cancel })], ctx))
        await this.#asking(key, () => postReply(services, { channel_id, content, reply_to: id }))
      }
    }
  }

  async choose(
    asker: Asker,
    question: Outgoing,
    choices: readonly string[],
    options: ClickOptions = {},
  ): Promise<string> {
    const { ctx, services } = handlerOf(asker)
    const body = bodyOf(question)
    const components = rowsOf(choices, ctx)
    // Invalid options must not leave buttons behind.
    clickRulesOf(ctx, options)
    // The buttons of another handler are not its own.
    const adopt = (error: unknown) => {
      if (!ctx.redelivered || ctx.channel_id === null) throw error
      return postedBefore(services, error, { channel_id: ctx.channel_id, content: body.content })
    }
    const post = () => ctx.reply({ ...body, components }).catch(adopt)
    const asked = await this.#asking(choiceKey, post)
    if (!asked) throw new BotwrightError('ERR_BAD_ANSWER', `${ctx.file}: the service returned no message to wait for`)
    if (ctx.kind === 'event') questionChannels.set(ctx, asked.channel_id)
    try {
      const click = await this.clicked(asker, asked, options, 'choice')
      const chosen = choices[Number(click.params)] ?? ''
      await showChoice(ctx, click, asked, withLine(body.content, `**${chosen}**`))
      return chosen
    } catch (error) {
      // Remove buttons that no longer work. Their message may be deleted by now.
      if (isUnanswered(error)) await ctx.edit(asked, { components: null }).catch(() => undefined)
      throw error
    }
  }
}

/** Whose click counts, and for how long. Throws if the options are invalid. */
const clickRulesOf = (ctx: Context, { timeout = DEFAULT_TIMEOUT, by = 'author' }: OwnClickOptions) => ({
  by,
  who: clickerOf(ctx, by),
  timeoutMs: durationMs(timeout, `${ctx.file}: timeout`),
})

/** Whose click counts; undefined for anyone's. */
function clickerOf(ctx: Context, by: unknown): string | undefined {
  if (by === 'anyone') return undefined
  if (by === 'author') {
    if (ctx.user.id === '') throw noClicker(ctx)
    return ctx.user.id
  }
  if (typeof by === 'string' && isId(by)) return lowerId(by)
  throw new BotwrightError(
    'ERR_INVALID_REQUEST',
    `${ctx.file}: by must be 'author', 'anyone' or the id of a user, not ${JSON.stringify(by)}`,
  )
}

/** ` from ann` */
const ofUser = ({ user }: Context): string => (user.name === '' ? '' : ` from ${user.name}`)

/** ` in #general`; empty if the event does not name the channel, or the message is in another one. */
function inChannel({ event, channel_id }: Context, message?: Pick<Message, 'id'>): string {
  const name = event['channel_name']
  const other = (message as Message | undefined)?.channel_id
  const isElsewhere = other !== undefined && other !== channel_id
  return typeof name === 'string' && !isElsewhere ? ` in #${name}` : ''
}

/**
 * Returns the question if the service refuses to repeat it (§7), so that the handler waits for its answer: a crashed run has posted it,
 * or another handler. Rethrows other errors.
 */
async function postedBefore(
  { call, me }: BotServices,
  error: unknown,
  { channel_id, content = '' }: { channel_id: string; content: string | undefined },
): Promise<Message> {
  const { retryAfterSeconds } = error as { retryAfterSeconds?: number }
  if (!hasCode(error, 'ERR_RATE_LIMITED') || retryAfterSeconds !== undefined) throw error
  const { messages } = await call('messages.list', { channel_id, limit: limits.messages_page.max })
  const posted = messages.findLast(({ author_id }) => author_id === me.id)
  if (posted?.content !== content) throw error
  return posted
}

/** A row holds 5 buttons, and a message 5 rows (§2). */
function rowsOf(choices: readonly string[], ctx: Context): ActionRow[] {
  const { rows, buttons } = limits.button_rows
  if (choices.length === 0 || choices.length > rows * buttons)
    throw new BotwrightError(
      'ERR_INVALID_REQUEST',
      `${ctx.file}: ctx.choose takes 1 to ${rows * buttons} choices, but got ${choices.length}`,
    )
  const made: ActionRow[] = []
  choices.forEach((label, i) => {
    if (i % buttons === 0) made.push({ type: 'row', components: [] })
    made.at(-1)!.components.push(choice(String(i), { label }))
  })
  return made
}

/** Splits the answer for kinds that take words. Other kinds, such as dates, get the whole text. */
const wordsFor = (as: Arg<unknown>, typed: string): string[] =>
  as.takes === 'words' ? splitWords(typed).map((word) => word.text) : [typed]

function typedIn({ delivery }: { delivery: Delivery }): string {
  const { content } = delivery.event.data
  return typeof content === 'string' ? content.trim() : ''
}

const isOneOf = (words: readonly string[], typed: string): boolean =>
  words.some((one) => foldTyped(trimUnseen(typed)) === foldTyped(one))

const replaced = () => new BotwrightError('ERR_REPLACED', 'a newer question to the same person replaced this one')
const cancelled = () => new PersonError('ERR_CANCELLED', phrase('ask.cancelled'))
const noUser = ({ file, envelope }: Context) =>
  new BotwrightError('ERR_INVALID_REQUEST', `${file}: "${envelope.type}" has no user for ctx.ask to ask`)
const noClicker = ({ file, envelope }: Context) =>
  new BotwrightError('ERR_INVALID_REQUEST', `${file}: "${envelope.type}" has no user to click: pass { by: 'anyone' }`)
const noChannel = ({ file, envelope }: Context) =>
  new BotwrightError('ERR_INVALID_REQUEST', `${file}: "${envelope.type}" has no channel: ask with { in: 'dm' }`)
