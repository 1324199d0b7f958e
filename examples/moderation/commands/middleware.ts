import { middleware } from '@botwright/framework'

const MODS = 'mods'

/** Around every command: for moderators alone. */
export default middleware(async (ctx, next) => {
  const { server_id } = ctx
  if (server_id === null) return 'Moderation happens in a server: ask me there.'
  const [{ member }, { roles }] = await Promise.all([
    ctx.api.members.get({ server_id, user_id: ctx.user.id }),
    ctx.api.servers.roles({ server_id }),
  ])
  const mods = roles.find(({ name }) => name === MODS)
  if (!mods || !member.roles.includes(mods.id)) return `Only people with the role "${MODS}" can do that.`
  await next()
})
