import { type EventContexts, sameEmoji } from '@botwright/framework'
import { isAllowed } from '../../lib/is-allowed.ts'
import { sameName } from '../../lib/same-name.ts'
import reactionRoles from '../plugin.ts'
import messages from '../state/messages.ts'

type Reaction = EventContexts['reaction_add'] | EventContexts['reaction_remove']

/** Gives a person the role of a reaction, or takes it. Ignores reactions to other messages, and those of the bot itself. */
export async function changeRole(ctx: Reaction, change: 'give' | 'take'): Promise<void> {
  const { server_id, user_id, message_id, emoji } = ctx.event
  if (server_id === null || user_id === ctx.me.id) return
  const name = await messages.at(ctx, message_id).get()
  const message = name === '' ? undefined : reactionRoles.options(ctx).messages[name]
  if (!message || (change === 'take' && !message.removable)) return
  const [, wanted] = Object.entries(message.roles).find(([own]) => sameEmoji(own, emoji)) ?? []
  if (wanted === undefined) return
  const { roles } = await ctx.api.servers.roles({ server_id })
  const role = roles.find((one) => sameName(one.name, wanted))
  if (!role) return ctx.log.warn({ server_id, role: wanted }, 'no role with this name')
  const who = { server_id, user_id, role_id: role.id }
  const { addRole, removeRole } = ctx.api.moderation
  const isChanged = await isAllowed(ctx, 'the bot may not change this role', () =>
    change === 'give' ? addRole(who) : removeRole(who),
  )
  const { thanks } = message
  if (isChanged && change === 'give' && thanks !== undefined)
    await isAllowed(ctx, 'this person accepts no direct messages', () => ctx.dm(user_id, thanks))
}
