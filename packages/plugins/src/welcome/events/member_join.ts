import { event } from '@botwright/framework'
import { isAllowed } from '../../lib/is-allowed.ts'
import { sameName } from '../../lib/same-name.ts'
import { fill, textsFor } from '../../lib/texts.ts'
import welcome from '../plugin.ts'

const texts = {
  en: { welcome: 'Welcome, {member}! You are member number {count}.' },
  de: { welcome: 'Willkommen, {member}! Du bist Mitglied Nummer {count}.' },
} as const

export default event('member_join', async (ctx) => {
  const { server_id, user_id, member_count } = ctx.event
  const { channel, text, direct, role, language } = welcome.options(ctx)
  const values = { member: `<@${user_id}>`, count: member_count }

  const { channels } = await ctx.api.channels.listOfServer({ server_id, type: 'text' })
  const place = channels.find(({ name }) => sameName(name, channel))
  if (place) {
    const say = await textsFor(texts, ctx, { fallback: language, server_id })
    const content = text === undefined ? say('welcome', values) : fill(text, values)
    await isAllowed(ctx, `the bot may not write in #${channel}`, () => ctx.send(place.id, content))
  } else ctx.log.warn({ server_id }, `no channel #${channel} for welcome messages`)

  if (direct !== undefined)
    await isAllowed(ctx, 'this person accepts no direct messages', () => ctx.dm(user_id, fill(direct, values)))
  if (role === undefined) return
  const { roles } = await ctx.api.servers.roles({ server_id })
  const found = roles.find(({ name }) => sameName(name, role))
  if (!found) return ctx.log.warn({ server_id }, `no role "${role}" for new members`)
  await isAllowed(ctx, 'the bot may not give this role', () =>
    ctx.api.moderation.addRole({ server_id, user_id, role_id: found.id }),
  )
})
