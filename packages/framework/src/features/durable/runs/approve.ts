// `ctx.approve`: shows a request with two buttons, and waits for the click of a person who may decide.

import type { Message, MessageCreate } from '@botwright/protocol/shapes'
import type { Approval, ApprovalOptions } from '../../../author/durable.ts'
import { BotwrightError, shortened } from '@botwright/protocol/facts'
import { lookUpAgain } from '../../../author/args/arg.ts'
import { channel } from '../../mentions/mentions.ts'
import { choice } from '../../../author/buttons/face.ts'
import { codeOf, hasCode } from '../../../author/error-code.ts'
import { durationMs } from '../../../author/time/duration.ts'
import type { OwnClickOptions } from '../../../author/ask-options.ts'
import { type Guard, guardsProblem } from '../../../author/guards/guard.ts'
import { bodyOf } from '../../../author/outgoing.ts'
import { phrase } from '../../../author/texts/phrase.ts'
import type { ButtonContext } from '../../../bot/context/button-context.ts'
import type { Context } from '../../../bot/context/context.ts'
import { isUnanswered, withLine } from '../../conversations/conversation.ts'
import { attempt, showChoice } from '../../conversations/show-choice.ts'
import { choiceKey, type Waiting } from '../../../bot/conversation/waiting.ts'
import { notifyUser, reportFailure } from '../../../bot/report-failure.ts'
import { servicesOf } from '../../../bot/services.ts'
import type { Replay } from './replay.ts'

const DEFAULT_TIMEOUT = '3d'
const REASON_TIMEOUT = '10m'

/** Longer requests are cut where they are quoted. */
const QUOTED = 100

/** The dependencies of `approve`. */
export interface ApproveHost {
  waiting: Waiting
  replay: Replay
  /** The folder of the bot. */
  root: string
}

/** Posts the request, and edits it when it is decided or too old. */
export async function approve(
  ctx: Context,
  options: ApprovalOptions,
  { waiting, replay, root }: ApproveHost,
): Promise<Approval> {
  const { title, by, timeout = DEFAULT_TIMEOUT } = options
  const guards = guardsOf(ctx, by)
  const channel_id = await channelOf(ctx, options.in)
  const { clock, texts } = servicesOf(ctx)
  const timeoutMs = durationMs(timeout, `${ctx.file}: timeout`)
  const endMs = clock.now() + timeoutMs
  const body = bodyOf<MessageCreate>(title)
  const labels = {
    yes: await texts.say(phrase('ask.approve'), ctx),
    no: await texts.say(phrase('ask.decline'), ctx),
  }
  const components: MessageCreate['components'] = [
    {
      type: 'row',
      components: [
        choice('yes', { label: labels.yes, style: 'success' }),
        choice('no', { label: labels.no, style: 'danger' }),
      ],
    },
  ]
  // Not `ctx.send`, which waits for the end of quiet hours.
  const post = () => ctx.api.messages.create({ ...body, components, channel_id })
  const asked = await waiting.asking(choiceKey, post, replay.stopped)
  const request = { asked, content: body.content, place: options.in.startsWith('#') ? ` in ${options.in}` : '' }
  const click = await clickOn(ctx, request, {
    ...{ timeout: timeoutMs, leftMs: Math.max(1, endMs - clock.now()) },
    admits: (one) => isAllowed(one as ButtonContext, guards, root),
  })
  const approved = click.params === 'yes'
  const { user } = click
  const decision = `**${approved ? labels.yes : labels.no}** (<@${user.id}>)`
  await showChoice(ctx, click, asked, withLine(body.content, decision))
  return { approved, by: user, reason: approved ? '' : await reasonOf(click, body) }
}

/** The guards for the person who decides. Without one, anyone could decide. */
function guardsOf({ file }: Context, by: unknown): readonly Guard[] {
  const guards: unknown[] = Array.isArray(by) ? by : [by]
  const problem = guardsProblem(guards, 'by', 1)
  if (problem === undefined) return guards as Guard[]
  throw new BotwrightError(
    'ERR_INVALID_REQUEST',
    `${file}: ctx.approve: ${problem}; pass the guards of the people who may decide, as in by: hasRole('Manager')`,
  )
}

/** The first line of a request, for a question about it. Empty if it has no text. */
function quoted({ content, embeds }: MessageCreate): string {
  const [line = ''] = (content || embeds?.[0]?.title || '').trim().split('\n', 1)
  return shortened(line, QUOTED)
}

async function channelOf(ctx: Context, given: string): Promise<string> {
  lookUpAgain(ctx)
  try {
    return await channel({ type: 'text' }).read([given], ctx)
  } catch (error) {
    if (!hasCode(error, 'ERR_ARGS')) throw error
    throw new BotwrightError('ERR_INVALID_REQUEST', `${ctx.file}: ctx.approve: in: "${given}" ${error.message}`, {
      cause: error,
    })
  }
}

/** Asks the person who declined. Without an answer, the decision has no reason. */
async function reasonOf(click: ButtonContext, body: MessageCreate): Promise<string> {
  const services = servicesOf(click)
  const { texts, questions } = services
  const request = quoted(body)
  const facts = { user: click.user.id, cancel: phrase('ask.cancel_word') }
  const why = request === '' ? phrase('ask.why', facts) : phrase('ask.why_request', { ...facts, request })
  let reason: string | undefined
  await attempt(click, 'the person who declined was not asked for the reason', async () => {
    try {
      // The person may decline several requests before they answer.
      const options = { timeout: REASON_TIMEOUT, byReply: true } as const
      reason = await questions.ask({ ctx: click, services }, await texts.say(why, click), options)
    } catch (error) {
      if (!['ERR_CANCELLED', 'ERR_NO_REPLY', 'ERR_REPLACED'].includes(codeOf(error) ?? '')) throw error
    }
  })
  return reason ?? (await texts.say(phrase('ask.no_reason'), click))
}

async function clickOn(
  ctx: Context,
  { asked, content, place }: { asked: Message; content: string | undefined; place: string },
  how: Pick<OwnClickOptions, 'timeout' | 'leftMs' | 'admits'>,
): Promise<ButtonContext> {
  try {
    const services = servicesOf(ctx)
    const options = { by: 'anyone', place, ...how }
    return (await services.questions.clicked({ ctx, services }, asked, options, 'approval')) as ButtonContext
  } catch (error) {
    if (isUnanswered(error)) {
      const end = phrase(hasCode(error, 'ERR_NO_REPLY') ? 'ask.expired' : 'ask.withdrawn')
      const text = withLine(content, `**${await servicesOf(ctx).texts.say(end, ctx)}**`)
      // Remove buttons that no longer work. Their message may be deleted by now.
      await ctx.edit(asked, { content: text, components: null }).catch(() => undefined)
    }
    throw error
  }
}

/** Whether the person of a click may decide. Notifies others. Never rejects: the request must not end with another person's click. */
async function isAllowed(click: ButtonContext, guards: readonly Guard[], root: string): Promise<boolean> {
  const { log } = servicesOf(click)
  try {
    // As in a handler, guards that count uses are last: a refused person uses up none.
    const ordered = [...guards.entries()].sort(([, one], [, other]) => Number(one.counts) - Number(other.counts))
    for (const [i, guard] of ordered) {
      const verdict = await guard.check(click, `${click.file}#approve${i}`)
      if (verdict === true) continue
      await click.cooldown.refund()
      const text = typeof verdict.refusal === 'function' ? await verdict.refusal(click) : verdict.refusal
      if (text === '') await attempt(click, 'a click cannot be acknowledged', () => click.ack())
      else await notifyUser(click, text, log)
      return false
    }
    return true
  } catch (error) {
    await click.cooldown.refund().catch(() => {})
    await reportFailure(error, click, { root, log })
    return false
  }
}
