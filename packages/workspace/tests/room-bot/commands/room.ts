import { command } from '@botwright/framework'

/** The roles `room-1`, `room-2`, … exist already, without permissions: the interface cannot create roles. */
export default command({
  description: 'Opens a private channel for you',
  run: async (ctx) => {
    const { server_id, user } = ctx
    if (server_id === null) return 'Use /room in a server.'
    const { roles } = await ctx.api.servers.roles({ server_id })
    const taken = new Set<string>()
    for await (const { user_id } of ctx.api.members.all({ server_id })) {
      const { member } = await ctx.api.members.get({ server_id, user_id })
      for (const id of member.roles) taken.add(id)
    }
    const role = roles.find(({ id, name }) => /^room-\d+$/.test(name) && !taken.has(id))
    if (!role) return 'All rooms are taken.'
    const bot = await ctx.api.members.get({ server_id, user_id: ctx.me.id })
    const { channel } = await ctx.api.channels.create({ server_id, name: role.name })
    // Include the bot's own roles: without one of them, the bot cannot see the channel.
    const role_ids = [role.id, ...bot.member.roles]
    await ctx.api.channels.update({ channel_id: channel.id, private: true, role_ids })
    await ctx.api.moderation.addRole({ server_id, user_id: user.id, role_id: role.id })
    await ctx.send(channel.id, `<@${user.id}>, this channel is yours.`)
    return 'Your channel is open.'
  },
})
