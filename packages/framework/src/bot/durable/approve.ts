// `ctx.approve`: shows a request with two buttons, and waits for the click of a person who may decide.

import type { Message, MessageCreate } from '@botwright/protocol/shapes'
import type { Approval, ApprovalOptions } from '../../author/durable.ts'
import { choice } from '../../author/buttons/face.ts'
import { durationMs } from '../../author/duration.ts'
import type { Guard } from '../../author/guards/guard.ts'
import { bodyOf } from '../../author/outgoing.ts'
import { phrase } from '../../author/texts/phrase.ts'
import type { ButtonContext } from '../context/button-context.ts'
import type { Context } from '../context/context.ts'
import { isUnanswered } from '../conversation/conversation.ts'
import { choiceKey, type Waiting } from '../conversation/waiting.ts'
import { notifyUser } from '../failure.ts'
import { servicesOf } from '../services.ts'

const DEFAULT_TIMEOUT = '3d'

/** Posts the request, and edits it when it is decided or too old. */
export async function approve(ctx: Context, options: ApprovalOptions, waiting: Waiting): Promise<Approval> {
  const { in: channel_id, title, by, timeout = DEFAULT_TIMEOUT } = options
  const { clock, texts } = servicesOf(ctx)
  const endMs = clock.now() + durationMs(timeout, `${ctx.file}: timeout`)
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
  const asked = await waiting.asking(choiceKey, () => ctx.send(channel_id, { ...body, components }))
  for (;;) {
    const click = await clickOn(ctx, asked, endMs - clock.now())
    if (!(await isAllowed(ctx, click, Array.isArray(by) ? (by as Guard[]) : [by as Guard]))) continue
    const approved = click.params === 'yes'
    const { user } = click
    const decision = `**${approved ? labels.yes : labels.no}** (<@${user.id}>)`
    await click.update({ content: `${body.content ?? ''}\n${decision}`.trim(), components: null })
    return { approved, by: user }
  }
}

async function clickOn(ctx: Context, asked: Message, leftMs: number): Promise<ButtonContext> {
  try {
    const click = await ctx.clicked(asked, { by: 'anyone', timeout: Math.max(1, leftMs) })
    return click as unknown as ButtonContext
  } catch (error) {
    // Remove buttons that no longer work. Their message may be deleted by now.
    if (isUnanswered(error)) await ctx.edit(asked, { components: null }).catch(() => undefined)
    throw error
  }
}

async function isAllowed(ctx: Context, click: ButtonContext, guards: readonly Guard[]): Promise<boolean> {
  for (const [i, guard] of guards.entries()) {
    const verdict = await guard.check(click, `${ctx.file}#approve${i}`)
    if (verdict === true) continue
    const text = typeof verdict.refusal === 'function' ? await verdict.refusal(click) : verdict.refusal
    if (text === '') await click.ack()
    else await notifyUser(click, text, servicesOf(ctx).log)
    return false
  }
  return true
}
