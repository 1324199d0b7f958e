import { BotwrightError, button, uuid } from '@botwright/framework'
import { freeRoles, toggleRole } from '../lib/roles.ts'

export default button({
  params: { role: uuid() },
  run: async (ctx) => {
    const { server_id } = ctx
    if (server_id === null) return
    // The role may have received permissions since the button was created.
    const role = (await freeRoles(ctx, server_id)).find(({ id }) => id === ctx.params.role)
    if (!role) return ctx.ephemeral('That role is no longer available.')
    const done = await toggleRole(ctx, { server_id, user_id: ctx.user.id, role_id: role.id }).catch(
      (error: unknown) => {
        const isRefused = error instanceof BotwrightError && ['ERR_FORBIDDEN', 'ERR_REFUSED'].includes(error.code)
        if (!isRefused) throw error
      },
    )
    if (!done) return ctx.ephemeral('I cannot change your roles.')
    return ctx.ephemeral(
      done === 'given' ? `You now have the role ${role.name}.` : `You no longer have the role ${role.name}.`,
    )
  },
})
