import { button, uuid } from '@botwright/framework'
import { freeRoles, toggleRole } from '../lib/roles.ts'

export default button({
  params: { role: uuid() },
  run: async (ctx) => {
    const { server_id } = ctx
    if (server_id === null) return
    // A role may have been given permissions since the button was made.
    const role = (await freeRoles(ctx, server_id)).find(({ id }) => id === ctx.params.role)
    if (!role) return ctx.ephemeral('That role is not to be had any more.')
    const done = await toggleRole(ctx, { server_id, user_id: ctx.user.id, role_id: role.id })
    return ctx.ephemeral(done === 'given' ? `You have the role ${role.name} now.` : `You gave ${role.name} back.`)
  },
})
